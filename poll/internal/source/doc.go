// Package source reads sources that are no files of lines.
//
// A [Source] is asked whether it changed, for its next [Batch], and acknowledged. A [Document] is a file that is rewritten in
// place: its one line is all of it, whenever it changed and is complete. A [Database] is one of OpenCode's (package
// opencodedb): its streams are families of sessions, its lines rows.
//
// A Source serves one goroutine. The lines of a Batch are valid until Acknowledge or the next call of Next.
package source
