package scan

import (
	"bytes"
	"unicode/utf8"
)

// LastObject returns the offset of the object that ends data, or false if there is none or it is malformed. It searches
// from the end, because only the end shows what is inside a string. It reads each byte of the object twice: once
// backwards and once with a [Scanner]. Without an object it reads each byte of data once.
func LastObject(data []byte) (at int, ok bool) {
	data = data[:blanksBegin(data, len(data))]
	if at = objectBegin(data); at < 0 {
		return 0, false
	}
	var s Scanner
	s.Reset(data[at:])
	s.Skip()
	return at, s.Err() == nil && len(s.Rest()) == 0
}

// InValue reports whether a value at the offset could be part of the object or array before it.
func InValue(line []byte, at int) bool {
	at = blanksBegin(line, at)
	return at > 0 && bytes.IndexByte([]byte(":,["), line[at-1]) >= 0
}

// blanksBegin returns the offset of the blanks before end.
func blanksBegin(data []byte, end int) int {
	for end > 0 && data[end-1] <= ' ' {
		end--
	}
	return end
}

// objectBegin returns the offset of the object at the end of data, or -1 if there is none.
func objectBegin(data []byte) int {
	if len(data) == 0 || data[len(data)-1] != '}' {
		return -1
	}
	depth := 0
	for i := len(data) - 1; i >= 0; i-- {
		switch data[i] {
		case '}', ']':
			depth++
		case '{', '[':
			if depth--; depth == 0 {
				return i
			}
		case '"':
			if i = quoteBefore(data, i); i < 0 {
				return -1
			}
		}
	}
	return -1
}

// quoteBefore returns the offset of the string whose closing quote is at end: that of the nearest quote before it with an
// even number of backslashes in front. It returns -1 if there is none.
func quoteBefore(data []byte, end int) int {
	for i := end; ; {
		if i = bytes.LastIndexByte(data[:i], '"'); i < 0 || startsEscape(data, i) {
			return i
		}
	}
}

// Tail returns the last n bytes between the quotes of a string, or a few more so that it begins with a whole
// character. Their text is the end of the whole text.
func Tail(body []byte, n int) []byte {
	switch {
	case n <= 0:
		return nil
	case n >= len(body):
		return body
	}
	limit := len(body) - n
	cut := limit
	for at := limit; at >= max(limit-utf8.UTFMax+1, 0); at-- {
		if utf8.RuneStart(body[at]) {
			cut = at
			break
		}
	}
	// The longest escape, a surrogate pair, has 12 bytes.
	for i := max(cut-11, 0); i < cut; i++ {
		if body[i] != '\\' || !startsEscape(body, i) {
			continue
		}
		if width := escapeLen(body[i:]); i+width > cut {
			return body[i:]
		} else if width > 1 {
			i += width - 1
		}
	}
	return body[cut:]
}

// escapeLen returns the length of the escape at the start of s.
func escapeLen(s []byte) int {
	if len(s) > 1 && simpleEscapes[s[1]] != 0 {
		return 2
	}
	var text [utf8.UTFMax]byte
	_, n := appendEscape(text[:0], s)
	return n
}

// startsEscape reports whether the backslash at i is not itself escaped: an even number of backslashes precedes it.
func startsEscape(body []byte, i int) bool {
	before := i
	for before > 0 && body[before-1] == '\\' {
		before--
	}
	return (i-before)%2 == 0
}

// EndsLine reports whether the text of a string, given the bytes between its quotes, ends in a line feed.
func EndsLine(body []byte) bool {
	for _, feed := range [...]string{`\n`, `\u000a`, `\u000A`} {
		if at := len(body) - len(feed); at >= 0 && string(body[at:]) == feed {
			return startsEscape(body, at)
		}
	}
	return len(body) > 0 && body[len(body)-1] == '\n' // invalid JSON, but accepted
}
