package text

import (
	"unicode/utf8"

	"github.com/tailspan/tailspan/events"
)

// InvisibleLen returns the length of the character at i if it is invisible. The readable log omits such characters and would join
// the halves of a secret around one. They are those that package safe of the renderer drops, plus all joiners and selectors.
func InvisibleLen[T Bytes](s T, i int) int {
	if !MayBeInvisible(s[i]) {
		return 0
	}
	r, n := utf8.DecodeRuneInString(string(s[i:min(len(s), i+utf8.UTFMax)]))
	if !events.IsInvisible(r) {
		return 0
	}
	return n
}

// MayBeInvisible reports whether c may begin an invisible character.
func MayBeInvisible(c byte) bool {
	switch c {
	case 0xc2, 0xcd, 0xd8, 0xe1, 0xe2, 0xe3, 0xef, 0xf0, 0xf3:
		return true
	}
	return false
}

// IsControl reports whether c is a control byte other than a line break or a tab.
func IsControl(c byte) bool { return c < 0x20 && c != '\t' && c != '\n' && c != '\r' || c == 0x7f }

// ControlAt reports whether there is a control at i, as defined by events.EscapeLen but without line breaks and tabs, or
// an invisible character.
func ControlAt[T Bytes](s T, i int) bool {
	return IsControl(s[i]) || s[i] == 0xc2 && i+1 < len(s) && s[i+1] >= 0x80 && s[i+1] <= 0x9f || InvisibleLen(s, i) > 0
}
