// Package otlp writes what agents do as OpenTelemetry spans and log records, and reads a record back into its event.
//
// A [Batch] collects spans and records under their [Resource]. A span is a plain value of its kind: a [Chat], [Call], [Agent],
// [Pipeline] or [Step]. A record is one of an event, or of what no line shows ([Record]). A [Writer] fills a record with an event;
// [EventFromRecord] is its inverse, and nothing but the limits of the writer is lost between them. Every name that
// tailspan exports is in names.go, and every id is a pure function of its parts (ids.go): of what the format calls a thing
// and of what it says, never of a path or of the time of reading.
//
// An [Identity] is whose work a stream is, as resource attributes (cicd.*, vcs.*, the user's own).
//
// The package knows no streams, runs or calls: which spans there are and when they begin and end is decided by its caller.
// Texts have no NUL byte, names and ids at most 256 bytes ([MakePlain]). A Batch and a Resource are used by one goroutine
// at a time, a Writer and an Identity by any number.
package otlp
