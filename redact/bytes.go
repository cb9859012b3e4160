package redact

// text is what is searched. Both are read in place, without a copy.
type text interface{ string | []byte }

// class bits of a byte.
const (
	cLower uint16 = 1 << iota
	cUpper
	cDigit
	cIdent  // what identifiers are made of beside letters and digits: _ - .
	cBlank  // blank or tab
	cSpace  // cBlank, line breaks and other white space
	cQuote  // " ' `
	cB64    // + / = and what base64url has
	cURLEnd // what ends the authority of a URL
	cMask   // what a value is masked with
	cUnit   // what may begin an escape or a control sequence
)

const cAlnum = cLower | cUpper | cDigit

// byteClass is a constant table in the form of an array.
var byteClass = func() (t [256]uint16) {
	add := func(bits uint16, set string) {
		for i := range len(set) {
			t[set[i]] |= bits
		}
	}
	add(cLower|cB64, "abcdefghijklmnopqrstuvwxyz")
	add(cUpper|cB64, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	add(cDigit|cB64, "0123456789")
	add(cIdent, "_-.")
	add(cB64, "+/=_-")
	add(cBlank|cSpace, " \t")
	add(cSpace, "\r\n\v\f")
	add(cQuote, "\"'`")
	add(cURLEnd, " \t\r\n\v\f\"'`<>\\)]}|")
	add(cMask, "*xX.-_#?")
	add(cUnit, "%\\&\xc2\xcd\xd8\xe1\xe2\xe3\xef\xf0\xf3\x7f")
	for c := range ' ' {
		t[c] |= cUnit
	}
	return t
}()

func is(c byte, bits uint16) bool { return byteClass[c]&bits != 0 }

func isAlnum(c byte) bool { return is(c, cAlnum) }

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

func toLower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// hasAt reports whether word stands at i; with fold, in any ASCII case (word is in lower case then).
func hasAt[T text](s T, i int, word string, fold bool) bool {
	if i < 0 || len(s)-i < len(word) {
		return false
	}
	for j := range len(word) {
		c := s[i+j]
		if c != word[j] && !(fold && toLower(c) == word[j]) {
			return false
		}
	}
	return true
}

// indexIn finds word between from and to; -1 if it is not there.
func indexIn[T text](s T, from, to int, word string, fold bool) int {
	for i := max(from, 0); i+len(word) <= min(to, len(s)); i++ {
		if hasAt(s, i, word, fold) {
			return i
		}
	}
	return -1
}

// skip is the first place from i on, before end, whose byte has none of the bits.
func skip[T text](s T, i, end int, bits uint16) int {
	for i < end && is(s[i], bits) {
		i++
	}
	return i
}

// starts reports whether a word may start at i: nothing of a word stands before it. The letter of an escape such as
// \n, the digits of \u000a, and the m of a color that is written out (\u001b[31m) belong to no word.
func starts[T text](s T, i int) bool {
	if i == 0 || !is(s[i-1], cAlnum) {
		return true
	}
	if i >= 2 && s[i-2] == '\\' {
		switch s[i-1] {
		case 'n', 't', 'r', 'b', 'f', 'v', '0':
			return true
		}
	}
	if i >= 6 && s[i-6] == '\\' && (s[i-5] == 'u') {
		return isHex(s[i-4]) && isHex(s[i-3]) && isHex(s[i-2]) && isHex(s[i-1])
	}
	if s[i-1] == 'm' && colorBefore(s, i-1) {
		return true
	}
	// A percent-encoded byte, as %3D in a URL.
	return i >= 3 && s[i-3] == '%' && isHex(s[i-2]) && isHex(s[i-1])
}

// colorBefore reports whether the parameters of a color stand before the m at i, as in [1;31m.
func colorBefore[T text](s T, i int) bool {
	const most = 24
	j := i
	for j > 0 && i-j < most && (is(s[j-1], cDigit) || s[j-1] == ';') {
		j--
	}
	return j > 0 && s[j-1] == '['
}

// mix counts the bytes of a text by class.
type mix struct{ lower, upper, digit, blank, other int }

func mixOf[T text](s T, from, to int) (m mix) {
	for i := from; i < to; i++ {
		switch c := byteClass[s[i]]; {
		case c&cLower != 0:
			m.lower++
		case c&cUpper != 0:
			m.upper++
		case c&cDigit != 0:
			m.digit++
		case c&cSpace != 0:
			m.blank++
		default:
			m.other++
		}
	}
	return m
}

// random reports whether a text looks generated: digits among letters of both cases, or many
// digits. It distinguishes keys from the kebab-case and snake_case words that begin like them.
func (m mix) random() bool {
	return m.blank == 0 && (m.digit >= 4 && m.lower+m.upper > 0 || m.digit >= 1 && m.upper >= 1 && m.lower >= 1)
}
