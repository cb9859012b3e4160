package text

import (
	"strings"
	"sync"
)

// Bytes is the type of a text to search. Both types are read in place, without a copy.
type Bytes interface{ string | []byte }

// Classes of bytes, as bits.
const (
	Lower uint16 = 1 << iota
	Upper
	Digit
	Ident  // characters of identifiers other than letters and digits: _ - .
	Blank  // blank or tab
	Space  // Blank, line breaks and other white space
	Quote  // " ' `
	B64    // + / = and the characters of base64url
	URLEnd // characters that end the authority of a URL
	Mask   // characters that mask a value
	Unit   // characters that may begin an escape or a control sequence
)

// Alnum is the class of letters and digits.
const Alnum = Lower | Upper | Digit

// byteClass maps each byte to its classes. It never changes.
var byteClass = func() (t [256]uint16) {
	add := func(bits uint16, set string) {
		for i := range len(set) {
			t[set[i]] |= bits
		}
	}
	add(Lower|B64, "abcdefghijklmnopqrstuvwxyz")
	add(Upper|B64, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	add(Digit|B64, "0123456789")
	add(Ident, "_-.")
	add(B64, "+/=_-")
	add(Blank|Space, " \t")
	add(Space, "\r\n\v\f")
	add(Quote, "\"'`")
	add(URLEnd, " \t\r\n\v\f\"'`<>\\)]}|")
	add(Mask, "*xX.-_#?")
	add(Unit, "%\\&\xc2\xcd\xd8\xe1\xe2\xe3\xef\xf0\xf3\x7f")
	for c := range ' ' {
		t[c] |= Unit
	}
	return t
}()

// Is reports whether a byte belongs to one of the classes.
func Is(c byte, bits uint16) bool { return byteClass[c]&bits != 0 }

// IsAlnum reports whether a byte is a letter or a digit.
func IsAlnum(c byte) bool { return Is(c, Alnum) }

// IsHex reports whether a byte is a hexadecimal digit.
func IsHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

// ToLower returns the lower case of an ASCII letter, and any other byte unchanged.
func ToLower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// NewSet returns the set of the bytes of some classes and of more.
func NewSet(bits uint16, more string) *[256]bool {
	var set [256]bool
	for c := range set {
		set[c] = byteClass[c]&bits != 0 || strings.IndexByte(more, byte(c)) >= 0
	}
	return &set
}

// Base64URL contains the bytes of base64url, b64Dot those of both forms of base64 and the dot.
var (
	Base64URL = sync.OnceValue(func() *[256]bool { return NewSet(Alnum, "_-") })
	Base64Dot = sync.OnceValue(func() *[256]bool { return NewSet(B64|Ident, "") })
)
