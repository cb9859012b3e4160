package scan

import "strconv"

// Kind is the type of a JSON value.
type Kind uint8

// The kinds of values.
const (
	KindNone Kind = iota // no value: the zero Value, or the end of the input
	KindNull
	KindFalse
	KindTrue
	KindNumber
	KindString
	KindObject
	KindArray
)

// Value is the raw span of one value. The zero Value stands for one that is not there.
type Value struct {
	Kind Kind
	// Raw is the value as it stands, the quotes of a string included.
	Raw []byte
}

// Exists reports whether there is a value at all; null is one.
func (v Value) Exists() bool { return v.Kind != KindNone }

// Body is what stands between the quotes of a string, still escaped; nil for all other kinds.
func (v Value) Body() []byte {
	if v.Kind != KindString {
		return nil
	}
	return v.Raw[1 : len(v.Raw)-1]
}

// True reports whether v is the literal true.
func (v Value) True() bool { return v.Kind == KindTrue }

// Is reports whether v is a string that reads s and needs no unescaping. It serves to tell short constant words, which
// writers do not escape.
func (v Value) Is(s string) bool { return v.Kind == KindString && string(v.Body()) == s }

// Int gives an integer, cut towards zero if v has a fraction or an exponent, and saturated at the limits of int64;
// 0 for what is no number.
func (v Value) Int() int64 {
	if v.Kind != KindNumber {
		return 0
	}
	digits, negative := v.Raw, false
	if digits[0] == '-' {
		digits, negative = digits[1:], true
	}
	if len(digits) > 18 {
		return v.wideInt()
	}
	n := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' {
			return v.wideInt()
		}
		n = n*10 + int64(c-'0')
	}
	if negative {
		return -n
	}
	return n
}

// maxCount is the largest number that a count is taken for, so that sums of some absurd ones do not overflow.
const maxCount = 1 << 53

// Count gives a count: an integer that is not negative, and not so large that sums of them overflow.
func (v Value) Count() int64 { return min(max(v.Int(), 0), maxCount) }

// wideInt reads what is no plain short integer.
func (v Value) wideInt() int64 {
	f := v.Float()
	switch {
	case f >= 1<<63:
		return 1<<63 - 1
	case f <= -1<<63:
		return -1 << 63
	}
	return int64(f)
}

// Float gives a number; 0 for what is none.
func (v Value) Float() float64 {
	if v.Kind != KindNumber {
		return 0
	}
	f, err := strconv.ParseFloat(string(v.Raw), 64)
	if err != nil && f == 0 {
		return 0
	}
	return f
}
