package text

import (
	"strconv"
)

// EscapeAt decodes the escape at i: %3D, \u003d, \x3d, &#61;, &quot; and others, including an escaped escape. It returns
// the decoded byte and the length of the escape, or length 0 if there is no escape of a byte of text.
func EscapeAt[T Bytes](s T, i int) (c byte, n int) {
	switch s[i] {
	case '%':
		j := i + 1
		for HasAt(s, j, "25", false) && j+3 < len(s) && IsHex(s[j+2]) && IsHex(s[j+3]) {
			j += 2
		}
		return hexAt(s, j, i)
	case '\\':
		j := SkipByte(s, i, '\\')
		switch {
		case HasAt(s, j, "u00", false):
			return hexAt(s, j+3, i)
		case HasAt(s, j, "x", false):
			return hexAt(s, j+1, i)
		case HasAt(s, j, "/", false):
			return '/', j + 1 - i
		}
	case '&':
		return entityAt(s, i)
	}
	return 0, 0
}

// hexAt parses two hexadecimal digits at j of an escape that begins at i.
func hexAt[T Bytes](s T, j, i int) (byte, int) {
	if j+1 >= len(s) || !IsHex(s[j]) || !IsHex(s[j+1]) {
		return 0, 0
	}
	return ifText(hexValue(s[j])<<4|hexValue(s[j+1]), j+2-i)
}

func hexValue(c byte) byte {
	if Is(c, Digit) {
		return c - '0'
	}
	return ToLower(c) - 'a' + 10
}

// ifText returns a byte of ASCII text and the length of its escape.
func ifText(c byte, n int) (byte, int) {
	if c >= 0x7f || c < ' ' && !Is(c, Space) {
		return 0, 0
	}
	return c, n
}

// entities are the HTML and XML entities of characters that separate names and values.
var entities = [...]struct {
	name string
	c    byte
}{{"quot;", '"'}, {"apos;", '\''}, {"lt;", '<'}, {"gt;", '>'}, {"nbsp;", ' '}, {"equals;", '='}, {"colon;", ':'}, {"sol;", '/'}}

// maxEntity is the maximum number of digits of a numeric entity.
const maxEntity = 6

func entityAt[T Bytes](s T, i int) (byte, int) {
	j := i + 1
	for HasAt(s, j, "amp;", false) {
		j += len("amp;")
	}
	for _, e := range entities {
		if HasAt(s, j, e.name, false) {
			return e.c, j + len(e.name) - i
		}
	}
	if !HasAt(s, j, "#", false) {
		if j > i+1 {
			return '&', j - i
		}
		return 0, 0
	}
	j++
	base := 10
	if HasAt(s, j, "x", true) {
		base = 16
		j++
	}
	end := j
	for end < len(s) && end-j < maxEntity && IsHex(s[end]) {
		end++
	}
	if end == j || end >= len(s) || s[end] != ';' {
		return 0, 0
	}
	c, err := strconv.ParseUint(string(s[j:end]), base, 8)
	if err != nil {
		return 0, 0
	}
	return ifText(byte(c), end+1-i)
}
