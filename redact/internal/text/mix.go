package text

// Mix counts the bytes of a text by class.
type Mix struct{ Lower, Upper, Digit, Blank, Other int }

// MixOf counts the bytes of s between from and to.
func MixOf[T Bytes](s T, from, to int) (m Mix) {
	for i := from; i < to; i++ {
		switch c := byteClass[s[i]]; {
		case c&Lower != 0:
			m.Lower++
		case c&Upper != 0:
			m.Upper++
		case c&Digit != 0:
			m.Digit++
		case c&Space != 0:
			m.Blank++
		default:
			m.Other++
		}
	}
	return m
}

// Random reports whether a text looks generated: it has digits among letters of both cases, or many digits.
// This distinguishes keys from kebab-case and snake_case words with the same beginning.
func (m Mix) Random() bool {
	return m.Blank == 0 && (m.Digit >= 4 && m.Lower+m.Upper > 0 || m.Digit >= 1 && m.Upper >= 1 && m.Lower >= 1)
}
