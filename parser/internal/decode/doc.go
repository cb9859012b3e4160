// Package decode holds what the parsers of all providers share: the memory of one line, and the interface that package
// parser uses.
//
// A [Parser] reads one stream of a provider. The [Result] of a line holds its events and status; the [State] is what the
// stream keeps between lines. A provider's parser embeds a [Decoder], which provides the scanner, the buffers, the shared
// fields of the events and defaults for the interface. The parts of the parser share the Decoder by pointer.
//
// # Lifetime
//
// A Result is valid until the next call of the same parser. A Parser serves one goroutine.
package decode
