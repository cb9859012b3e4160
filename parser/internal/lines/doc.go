// Package lines holds what the parsers of all providers do in the same way with a line and its texts: trim and classify
// the line, name an unknown type, summarize a result, measure a dropped output, collect the pieces of a text until the
// whole text arrives, and find the target of a call.
//
// It knows no provider and no key of a format; the parsers pass the keys. Its types must be used by one goroutine at a
// time. An [Output] and each [Text] of it are valid until Reset, which precedes the next line. A [Head], a [Pending]
// and the events keep what they hold.
package lines
