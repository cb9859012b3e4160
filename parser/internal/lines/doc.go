// Package lines holds what the parsers of all providers do alike with a line and with the texts in it: trimming it,
// classifying it, naming an unknown type, making the summary of a result, measuring an output that is dropped,
// keeping the pieces of a text until it comes whole, and what a call acts on.
//
// It knows no provider and no key of a format: what a key is called is the parser's part. Nothing here is for two
// goroutines at once. The texts of an [Output], each [Text] among them, are of use until its Reset, which is before the
// next line; what a [Head], a [Pending] or an event holds stays.
package lines
