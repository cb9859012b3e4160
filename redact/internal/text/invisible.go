package text

import (
	"unicode/utf8"
)

// InvisibleLen is the length of the character at i if it is not seen: the readable log leaves it out, and would join the halves
// of a secret that it is in. They are those that package safe of the renderer drops, joiners and selectors always.
func InvisibleLen[T Bytes](s T, i int) int {
	if !MayBeInvisible(s[i]) {
		return 0
	}
	r, n := utf8.DecodeRuneInString(string(s[i:min(len(s), i+utf8.UTFMax)]))
	switch {
	case r == 0x00ad, r == 0x034f, r == 0x061c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r >= 0x180b && r <= 0x180f,
		r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0x3164,
		r >= 0xfe00 && r <= 0xfe0f, r == 0xfeff, r == 0xffa0, r >= 0xfff0 && r <= 0xfffb,
		r >= 0x1bca0 && r <= 0x1bca3, r >= 0x1d173 && r <= 0x1d17a, r >= 0xe0000 && r <= 0xe0fff:
		return n
	}
	return 0
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
