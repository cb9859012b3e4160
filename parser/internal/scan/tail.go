package scan

import "unicode/utf8"

// Tail returns the last n bytes between the quotes of a string, and as many more as it takes to begin with
// a whole character: their text is the end of the whole text.
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
	// The longest escape, a pair of surrogates, has 12 bytes.
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

// escapeLen is the length of the escape at the start of s.
func escapeLen(s []byte) int {
	if len(s) > 1 && simpleEscapes[s[1]] != 0 {
		return 2
	}
	var text [utf8.UTFMax]byte
	_, n := appendEscape(text[:0], s)
	return n
}

// startsEscape reports whether the backslash at i is not escaped itself: an even number of others is before it.
func startsEscape(body []byte, i int) bool {
	before := i
	for before > 0 && body[before-1] == '\\' {
		before--
	}
	return (i-before)%2 == 0
}

// EndsLine reports whether the text of a string ends in a line feed, given the bytes between its quotes.
func EndsLine(body []byte) bool {
	for _, feed := range [...]string{`\n`, `\u000a`, `\u000A`} {
		if at := len(body) - len(feed); at >= 0 && string(body[at:]) == feed {
			return startsEscape(body, at)
		}
	}
	return len(body) > 0 && body[len(body)-1] == '\n' // not JSON, but it passes
}
