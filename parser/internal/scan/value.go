package scan

import (
	"bytes"
	"strconv"
	"time"
)

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

// Time reads a string as a point in time of RFC 3339, and a number as milliseconds since 1970, or as seconds if it is
// below 10^11 (in milliseconds that is March 1973); the zero time if it is none.
func (v Value) Time() time.Time {
	if v.Kind == KindNumber {
		return unixTime(v)
	}
	body := v.Body()
	if len(body) < len("2006-01-02T15:04:05Z") || bytes.IndexByte(body, '\\') >= 0 {
		return time.Time{}
	}
	if t, ok := utcTime(body); ok {
		return t
	}
	t, err := time.Parse(time.RFC3339Nano, string(body))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

func unixTime(v Value) time.Time {
	switch f := v.Float(); {
	case f <= 0 || f > 1e15:
		return time.Time{}
	case f < 1e11:
		return time.UnixMilli(int64(f * 1000)).UTC()
	default:
		return time.UnixMilli(int64(f)).UTC()
	}
}

// utcTime reads the one form that agents write, 2006-01-02T15:04:05.000Z with any number of digits behind the point,
// and leaves all others to the standard library.
func utcTime(b []byte) (time.Time, bool) {
	n := len(b) - 1
	if b[n] != 'Z' || b[4] != '-' || b[7] != '-' || b[10] != 'T' || b[13] != ':' || b[16] != ':' {
		return time.Time{}, false
	}
	nano, scale := 0, 1_000_000_000
	if n > 19 {
		if b[19] != '.' || n == 20 || n > 29 {
			return time.Time{}, false
		}
		for _, c := range b[20:n] {
			if c < '0' || c > '9' {
				return time.Time{}, false
			}
			nano = nano*10 + int(c-'0')
			scale /= 10
		}
		nano *= scale
	}
	year, ok := digits(b[0:4])
	month, ok1 := digits(b[5:7])
	day, ok2 := digits(b[8:10])
	hour, ok3 := digits(b[11:13])
	minute, ok4 := digits(b[14:16])
	second, ok5 := digits(b[17:19])
	if !(ok && ok1 && ok2 && ok3 && ok4 && ok5) || month < 1 || month > 12 || day < 1 || day > 28 && day > daysIn(year, month) ||
		hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, nano, time.UTC), true
}

func digits(b []byte) (int, bool) {
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}
