// Package decode holds what the parsers of all providers have in common: the memory of one line, and the interface by
// which package parser uses them.
//
// A [Parser] is one stream of a provider. Its [Result] of a line has the line's events and status; its [State] is what the
// stream holds between lines. A provider's parser embeds a [Decoder], which brings the scanner, the buffers, the head of
// the events and the defaults of the interface; the parts of the parser share it by pointer.
//
// # Lifetime
//
// A Result is valid until the next call of the same parser. A Parser serves one goroutine.
package decode
