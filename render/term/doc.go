// Package term shows a status line below a log on a terminal, and decides whether an output gets colours.
//
// A [Terminal] draws on a screen to which others write through [Terminal.Wrap]. Each stream that it shows is a [Watched], a
// Sink for the same events as the log. It takes one row, measured in cells, and leaves nothing behind. Several goroutines may
// use a Terminal; it runs a goroutine of its own until it is closed.
package term
