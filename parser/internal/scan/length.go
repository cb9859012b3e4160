package scan

import (
	"unicode/utf16"
	"unicode/utf8"
)

// escapeLen gives how many bytes shorter than its escape a character is, and how long the escape at the start of s is.
func escapeLen(s []byte) (cut, width int) {
	if len(s) > 1 && simpleEscapes[s[1]] != 0 {
		return 1, 2
	}
	r := hexRune(s)
	switch {
	case r < 0:
		return 0, 1
	case !utf16.IsSurrogate(r):
		return 6 - utf8.RuneLen(r), 6
	case utf16.DecodeRune(r, hexRune(s[6:])) != utf8.RuneError:
		return 12 - 4, 12
	default:
		return 6 - len(replacement), 6
	}
}

// Head gives the first bytes of what stands between the quotes of a string, at most limit, cut behind a whole character:
// their text is the beginning of the whole text.
func Head(body []byte, limit int) []byte {
	if len(body) <= limit {
		return body
	}
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
		if _, width := escapeLen(body[i:]); i+width > cut {
			return body[:i]
		} else if width > 1 {
			i += width - 1
		}
	}
	return body[:cut]
}

// startsEscape reports whether the backslash at i is not escaped itself: an even number of others stands before it.
func startsEscape(body []byte, i int) bool {
	before := i
	for before > 0 && body[before-1] == '\\' {
		before--
	}
	return (i-before)%2 == 0
}

// EndsLine reports whether the text of a string ends in a line feed, given what stands between its quotes.
func EndsLine(body []byte) bool {
	for _, feed := range [...]string{`\n`, `\u000a`, `\u000A`} {
		if at := len(body) - len(feed); at >= 0 && string(body[at:]) == feed {
			return startsEscape(body, at)
		}
	}
	return len(body) > 0 && body[len(body)-1] == '\n' // not JSON, but it passes
}
