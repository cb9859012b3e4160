// Package otlp writes the work of agents as OpenTelemetry spans and log records, and reads a log record back into its event.
//
// A [Batch] collects spans and records under their [Resource]. A span is a plain value of its kind: [Chat], [Call], [Agent],
// [Program], [Pipeline] or [Step]. A [Record] is about an event, or about something that no line shows. A [Writer] writes an
// event into a record, and [EventFromRecord] is its inverse: only the ID of the line and what exceeds the writer's limits are lost. All
// exported names are in names.go. All IDs are pure functions of their parts (ids.go): of the format's ID of an item and of its content, never
// of a path or of the time of reading.
//
// An [Identity] holds the resource attributes that identify the work of a stream (cicd.*, vcs.*, the user's own).
//
// The package does not know streams, runs or calls: its caller decides which spans exist and when they begin and end. Texts
// contain no NUL bytes, and names and IDs have at most 256 bytes ([MakePlain]). A Batch and a Resource are not safe for
// concurrent use; a Writer and an Identity are.
package otlp
