// Package text reads texts byte by byte: classes of bytes, words at an offset, escapes, controls and invisible characters.
// An [Input] is a text to search, a [Span] a secret found in it, and a [Marker] replaces the secret.
//
// The package knows no names and no shapes of secrets. Its functions take a string or bytes and copy neither. Everything
// except an Input may be used by any number of goroutines.
package text
