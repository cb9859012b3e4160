package scan

import (
	"bytes"
	"time"
)

// Time parses a string as an RFC 3339 time, and a number as milliseconds since 1970, or as seconds if it is below
// 10^11 (in milliseconds that is March 1973). It returns the zero time for anything else.
func (v Value) Time() time.Time {
	if v.Kind == KindNumber {
		return unixTime(v)
	}
	body := v.Body()
	if len(body) < len("2006-01-02T15:04:05Z") {
		return time.Time{}
	}
	if t, ok := utcTime(body); ok {
		return t
	}
	if bytes.IndexByte(body, '\\') >= 0 {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, string(body))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

func unixTime(v Value) time.Time {
	if n, ok := v.whole(); ok { // the usual form: no float is needed
		switch {
		case n == 0:
			return time.Time{}
		case n < 1e11:
			return time.Unix(n, 0).UTC()
		default:
			return time.UnixMilli(n).UTC()
		}
	}
	switch f := v.Float(); {
	case f <= 0 || f > 1e15:
		return time.Time{}
	case f < 1e11:
		return time.UnixMilli(int64(f * 1000)).UTC()
	default:
		return time.UnixMilli(int64(f)).UTC()
	}
}

// whole parses an integer of up to 15 digits.
func (v Value) whole() (n int64, ok bool) {
	for _, c := range v.Raw {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, len(v.Raw) <= 15
}

// utcTime parses the only form that agents write, 2006-01-02T15:04:05.000Z with any number of digits after the
// point. It leaves other forms to the standard library. b must be at least as long as a time without a fraction.
func utcTime(b []byte) (time.Time, bool) {
	const whole = len("2006-01-02T15:04:05")
	n := len(b) - 1
	head := (*[whole]byte)(b)
	if b[n] != 'Z' || head[4] != '-' || head[7] != '-' || head[10] != 'T' || head[13] != ':' || head[16] != ':' {
		return time.Time{}, false
	}
	century, year, month, day := twoDigits(head[0], head[1]), twoDigits(head[2], head[3]), twoDigits(head[5], head[6]), twoDigits(head[8], head[9])
	hour, minute, second := twoDigits(head[11], head[12]), twoDigits(head[14], head[15]), twoDigits(head[17], head[18])
	if century|year|month|day|hour|minute|second >= noDigits || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	nano, ok := fraction(b[whole:n])
	if !ok {
		return time.Time{}, false
	}
	days, ok := unixDays(int(100*century+year), int(month), int(day))
	if !ok {
		return time.Time{}, false
	}
	return time.Unix(days*86400+int64(hour*3600+minute*60+second), nano).UTC(), true
}

// noDigits is a bit above the bits of 99. It marks what is not a number of two digits.
const noDigits = 1 << 7

// twoDigits parses a number of two digits.
func twoDigits(tens, units byte) uint {
	t, u := uint(tens)-'0', uint(units)-'0'
	if t > 9 || u > 9 {
		return noDigits
	}
	return 10*t + u
}

// powers are the factors that convert a fraction with that many digits to nanoseconds.
var powers = [...]int64{0, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1}

// fraction parses a point and the digits of a fraction of a second, in nanoseconds. An empty fraction is 0.
func fraction(b []byte) (int64, bool) {
	if len(b) == 0 {
		return 0, true
	}
	digits := b[1:]
	if b[0] != '.' || len(digits) == 0 || len(digits) >= len(powers) {
		return 0, false
	}
	n := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n * powers[len(digits)], true
}

// daysBefore counts the days of a year before each month. The year begins in March, so that the leap day is its last day.
var daysBefore = [13]int{1: 306, 2: 337, 3: 0, 4: 31, 5: 61, 6: 92, 7: 122, 8: 153, 9: 184, 10: 214, 11: 245, 12: 275}

// daysIn are the days of each month of a leap year.
var daysIn = [13]int{1: 31, 2: 29, 3: 31, 4: 30, 5: 31, 6: 30, 7: 31, 8: 31, 9: 30, 10: 31, 11: 30, 12: 31}

// unixDays returns the days from 1970-01-01 to a date of the Gregorian calendar, or false if the date does not exist.
func unixDays(year, month, day int) (int64, bool) {
	if month < 1 || month > 12 || day < 1 || day > daysIn[month] {
		return 0, false
	}
	if month == 2 && day == 29 && (year%4 != 0 || year%100 == 0 && year%400 != 0) {
		return 0, false
	}
	if month < 3 {
		year--
	}
	const cycle, start = 146097, 719468 // days of 400 years; days from 0000-03-01 to 1970-01-01
	year += 400                         // year -1 contains January and February of year 0
	return int64(365*year+year/4-year/100+year/400+daysBefore[month]+day-1) - cycle - start, true
}

// Millis returns a number of milliseconds as a duration; see [Span].
func Millis(v Value) time.Duration { return v.Duration(time.Millisecond) }
