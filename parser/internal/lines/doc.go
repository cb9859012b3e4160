// Package lines holds what the parsers of all providers do alike with a line and with the texts in it: trimming it,
// telling what became of it, naming an unknown type, and finding the words of a result.
package lines
