package main

import "strings"

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	tokenEnd    tokenKind = iota
	tokenWord             // an identifier or a number
	tokenString           // a string literal; text is the part between its quotes
	tokenSign             // one character
)

type token struct {
	kind tokenKind
	text string
}

func (t token) is(sign string) bool { return t.kind == tokenSign && t.text == sign }
func (t token) word(w string) bool  { return t.kind == tokenWord && t.text == w }

// tokens splits a declaration file into tokens. It drops comments and blanks. Unclosed tokens end with the file.
func tokens(source string) (all []token) {
	for i := 0; i < len(source); {
		c := source[i]
		rest := source[i:]
		switch {
		case c <= ' ':
			i++
		case strings.HasPrefix(rest, "//"):
			i += until(rest, "\n")
		case strings.HasPrefix(rest, "/*"):
			i += until(rest, "*/")
		case c == '"' || c == '\'' || c == '`':
			n := stringLen(rest)
			all = append(all, token{tokenString, strings.TrimSuffix(rest[1:n], string(c))})
			i += n
		case isWord(c):
			n := 1
			for n < len(rest) && isWord(rest[n]) {
				n++
			}
			all = append(all, token{tokenWord, rest[:n]})
			i += n
		default:
			all = append(all, token{tokenSign, rest[:1]})
			i++
		}
	}
	return all
}

// until returns the length of s up to the end of the first mark after its start, or all of s if there is none.
func until(s, mark string) int {
	if n := strings.Index(s[1:], mark); n >= 0 {
		return 1 + n + len(mark)
	}
	return len(s)
}

// stringLen returns the length of the literal that s begins with, including its quotes.
func stringLen(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return len(s)
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
