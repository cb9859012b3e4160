// Package term shows a status line below a log on a terminal, and decides whether an output gets colours.
//
// A [Terminal] draws on a screen that others write to through [Terminal.Wrap]; each stream that it shows is a [Watched], a Sink
// of the same events as the log. It takes one row, counted in cells, and leaves nothing behind. It may be used by several
// goroutines, and runs one of its own until it is closed.
package term
