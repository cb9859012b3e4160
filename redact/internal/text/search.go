package text

// HasAt reports whether word is at i. With fold it ignores ASCII case; word must be in lower case then.
func HasAt[T Bytes](s T, i int, word string, fold bool) bool {
	if i < 0 || len(s)-i < len(word) {
		return false
	}
	for j := range len(word) {
		c := s[i+j]
		if c != word[j] && !(fold && ToLower(c) == word[j]) {
			return false
		}
	}
	return true
}

// IndexIn returns the offset of word between from and to, or -1 if it is not there.
func IndexIn[T Bytes](s T, from, to int, word string, fold bool) int {
	for i := max(from, 0); i+len(word) <= min(to, len(s)); i++ {
		if HasAt(s, i, word, fold) {
			return i
		}
	}
	return -1
}

// Skip returns the first offset from i on, and before end, whose byte is in none of the classes.
func Skip[T Bytes](s T, i, end int, bits uint16) int {
	for i < end && Is(s[i], bits) {
		i++
	}
	return i
}

// SkipByte returns the first offset from i on with a byte other than c.
func SkipByte[T Bytes](s T, i int, c byte) int {
	for i < len(s) && s[i] == c {
		i++
	}
	return i
}

// Starts reports whether a word may start at i: no part of a word precedes it. The letter of an escape such as
// \n, the digits of \u000a, and the m of a written color sequence (\u001b[31m) are not parts of a word.
func Starts[T Bytes](s T, i int) bool {
	if i == 0 || !Is(s[i-1], Alnum) {
		return true
	}
	if i >= 2 && s[i-2] == '\\' {
		switch s[i-1] {
		case 'n', 't', 'r', 'b', 'f', 'v', '0':
			return true
		}
	}
	if i >= 6 && s[i-6] == '\\' && (s[i-5] == 'u') {
		return IsHex(s[i-4]) && IsHex(s[i-3]) && IsHex(s[i-2]) && IsHex(s[i-1])
	}
	if s[i-1] == 'm' && ColorBefore(s, i-1) {
		return true
	}
	// A percent-encoded byte, such as %3D in a URL.
	return i >= 3 && s[i-3] == '%' && IsHex(s[i-2]) && IsHex(s[i-1])
}

// ColorBefore reports whether the parameters of a color sequence precede the m at i, as in [1;31m.
func ColorBefore[T Bytes](s T, i int) bool {
	const most = 24
	j := i
	for j > 0 && i-j < most && (Is(s[j-1], Digit) || s[j-1] == ';') {
		j--
	}
	return j > 0 && s[j-1] == '['
}
