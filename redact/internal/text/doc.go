// Package text reads texts byte by byte: classes of bytes, words at a place, escapes, controls and invisible characters. An
// [Input] is a text that is searched, a [Span] a secret found in it, and a [Marker] what replaces the secret.
//
// It knows no names and no shapes of secrets. Functions take a string or bytes and copy neither. All but an Input may be
// used by any number of goroutines.
package text
