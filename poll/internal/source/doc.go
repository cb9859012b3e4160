// Package source reads sources that are not files of lines.
//
// A [Source] is asked whether it changed and for its next [Batch], which is then acknowledged. A [Document] is a file that is
// rewritten in place: its only line is its whole content, each time it has changed and is complete. A [Database] is an
// OpenCode database (package opencodedb): its streams are families of sessions, and its lines are rows.
//
// A Source is for use by one goroutine. The lines of a Batch are valid until Acknowledge or the next call of Next.
package source
