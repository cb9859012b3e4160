package text

import (
	"unicode/utf8"

	"github.com/tailspan/tailspan/events"
)

// InvisibleLen is the length of the character at i if it is not seen: the readable log leaves it out, and would join the halves
// of a secret that it is in. They are those that package safe of the renderer drops, joiners and selectors always.
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

// MayBeInvisible reports whether such a character begins with a byte.
func MayBeInvisible(c byte) bool {
	switch c {
	case 0xc2, 0xcd, 0xd8, 0xe1, 0xe2, 0xe3, 0xef, 0xf0, 0xf3:
		return true
	}
	return false
}

// IsControl reports whether a byte is a control, line breaks and tabs aside.
func IsControl(c byte) bool { return c < 0x20 && c != '\t' && c != '\n' && c != '\r' || c == 0x7f }

// ControlAt reports whether a control is at i, as events.EscapeLen counts them, line breaks and tabs aside, or a character
// that is not seen.
func ControlAt[T Bytes](s T, i int) bool {
	return IsControl(s[i]) || s[i] == 0xc2 && i+1 < len(s) && s[i+1] >= 0x80 && s[i+1] <= 0x9f || InvisibleLen(s, i) > 0
}
