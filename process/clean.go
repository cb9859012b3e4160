package process

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes the end of a program's standard error fit for a log: whole characters, no control characters except newline and
// tab, no escape sequences or remains of them, and no surrounding white space. An escape sequence or character that was cut at
// the start of the tail is treated as text.
func Clean(tail []byte) string {
	s := string(tail)
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 {
		if n := sequence(s); n > 0 {
			s = s[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		s = s[n:]
		if r == utf8.RuneError && n == 1 || unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			continue
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}

// sequence returns the length of the escape sequence at the start of s, or 0 if there is none (ECMA-48: CSI with parameters,
// intermediates and a final byte; OSC, DCS, SOS, PM and APC with their text up to BEL or ST, but not beyond the line; any
// other ESC with one more byte).
func sequence(s string) int {
	if len(s) < 2 || s[0] != 0x1b {
		return 0
	}
	switch s[1] {
	case '[':
		i := 2
		for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f {
			i++
		}
		if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
			i++
		}
		return i
	case ']', 'P', 'X', '^', '_':
		for i := 2; i < len(s); i++ {
			switch {
			case s[i] == 0x07:
				return i + 1
			case s[i] == '\n':
				return i
			case s[i] == 0x1b:
				if i+1 < len(s) && s[i+1] == '\\' {
					return i + 2
				}
				return i
			}
		}
		return len(s)
	}
	if s[1] >= 0x20 && s[1] <= 0x7e {
		return 2
	}
	return 0
}
