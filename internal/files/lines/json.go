package lines

import "bytes"

// CompleteObject reports whether b is one JSON object from brace to brace, by counting brackets outside of strings. It checks
// that the end is not missing, not that the object is valid.
func CompleteObject(b []byte) bool {
	b = TrimBlanks(b)
	return len(b) >= 2 && b[0] == '{' && b[len(b)-1] == '}' && endsAt(b) == len(b)
}

// endsAt returns the length of the object or array that b begins with, or 0 if it does not end.
func endsAt(b []byte) int {
	depth, inString := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inString:
			switch c {
			case '\\':
				i++
			case '"':
				inString = false
			}
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
			if depth <= 0 {
				return i + 1
			}
		}
	}
	return 0
}

// TrimBlanks removes JSON white space from both ends.
func TrimBlanks(b []byte) []byte {
	for len(b) > 0 && isBlank(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isBlank(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// byteOrderMark is the byte order mark in UTF-8.
var byteOrderMark = []byte("\xef\xbb\xbf")

// Balanced reports whether b is one JSON object or array from bracket to bracket, by counting brackets outside of strings. It
// checks that the end is not missing, not that the document is valid.
func Balanced(b []byte) bool {
	b = TrimBlanks(bytes.TrimPrefix(b, byteOrderMark))
	if len(b) > 0 && b[0] == '[' {
		return b[len(b)-1] == ']' && endsAt(b) == len(b)
	}
	return CompleteObject(b)
}
