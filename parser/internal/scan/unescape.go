package scan

import (
	"bytes"
	"hash/maphash"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

const replacement = "\uFFFD"

// AppendString appends the text of a string, given what stands between its quotes: escapes resolved, a lone surrogate
// and each byte of invalid UTF-8 replaced by U+FFFD, as encoding/json does it. A backslash that begins no escape of JSON
// stands for itself, so that a line which passed the scanner always has a text.
func AppendString(dst, body []byte) []byte {
	if !utf8.Valid(body) {
		body = appendValid(nil, body) // rare, since writers of JSON see to it
	}
	dst = slices.Grow(dst, len(body)) // a text is never longer than its source
	for {
		i := bytes.IndexByte(body, '\\')
		if i < 0 {
			return append(dst, body...)
		}
		dst = append(dst, body[:i]...)
		body = body[i:]
		if len(body) > 1 {
			if c := simpleEscapes[body[1]]; c != 0 {
				dst = append(dst, c)
				body = body[2:]
				continue
			}
		}
		var n int
		dst, n = appendEscape(dst, body)
		body = body[n:]
	}
}

// AppendJSON appends a value as it stands, invalid UTF-8 replaced as in [AppendString].
func AppendJSON(dst, raw []byte) []byte { return appendValid(dst, raw) }

// simpleEscapes are those of one letter, by that letter.
var simpleEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// Hash makes a key of the text of a string, given what stands between its quotes. One text has one key, whether it is
// spelled with escapes ("\u0063") or without ("c").
func Hash(seed maphash.Seed, body []byte) uint64 {
	if plain(body) {
		return maphash.Bytes(seed, body)
	}
	return maphash.Bytes(seed, AppendString(nil, body))
}

// plain reports whether body is its own text.
func plain(body []byte) bool { return bytes.IndexByte(body, '\\') < 0 && utf8.Valid(body) }

func appendValid(dst, s []byte) []byte {
	for !utf8.Valid(s) {
		i := 0
		for {
			r, n := utf8.DecodeRune(s[i:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			i += n
		}
		dst = append(dst, s[:i]...)
		dst = append(dst, replacement...)
		s = s[i+1:]
	}
	return append(dst, s...)
}

// appendEscape appends what the \u escape at the start of s stands for and gives its length. A backslash that begins no
// escape is taken alone.
func appendEscape(dst, s []byte) ([]byte, int) {
	r := hexRune(s)
	if r < 0 {
		return append(dst, '\\'), 1
	}
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r), 6
	}
	if pair := utf16.DecodeRune(r, hexRune(s[6:])); pair != utf8.RuneError {
		return utf8.AppendRune(dst, pair), 12
	}
	return append(dst, replacement...), 6
}

// hexRune reads the \uXXXX at the start of s; -1 if there is none.
func hexRune(s []byte) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	r := rune(0)
	for _, c := range s[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}
