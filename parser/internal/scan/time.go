package scan

import (
	"bytes"
	"time"
)

// Time reads a string as a point in time of RFC 3339, and a number as milliseconds since 1970, or as seconds if it is
// below 10^11 (in milliseconds that is March 1973); the zero time if it is none.
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
	century, year, month, day := twoDigits(b, 0), twoDigits(b, 2), twoDigits(b, 5), twoDigits(b, 8)
	hour, minute, second := twoDigits(b, 11), twoDigits(b, 14), twoDigits(b, 17)
	nano, ok := fraction(b[19:n])
	if !ok || century|year|month|day|hour|minute|second < 0 || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	days, ok := unixDays(100*century+year, month, day)
	if !ok {
		return time.Time{}, false
	}
	return time.Unix(days*86400+int64(hour*3600+minute*60+second), nano).UTC(), true
}

// twoDigits reads the number at b[i:i+2]; it is negative if there is none.
func twoDigits(b []byte, i int) int {
	tens, units := b[i]-'0', b[i+1]-'0'
	if tens > 9 || units > 9 {
		return -1
	}
	return 10*int(tens) + int(units)
}

// fraction reads a point and the digits of a fraction of a second, in nanoseconds; nothing is no fraction.
func fraction(b []byte) (int64, bool) {
	if len(b) == 0 {
		return 0, true
	}
	if b[0] != '.' || len(b) == 1 || len(b) > 10 {
		return 0, false
	}
	nano, scale := int64(0), int64(1_000_000_000)
	for _, c := range b[1:] {
		if c < '0' || c > '9' {
			return 0, false
		}
		nano = nano*10 + int64(c-'0')
		scale /= 10
	}
	return nano * scale, true
}

// unixDays counts the days from 1970-01-01 to a date of the Gregorian calendar; false if there is no such date. Years
// begin in March here, so that the leap day is a year's last.
func unixDays(year, month, day int) (int64, bool) {
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, false
	}
	leap := year%4 == 0 && (year%100 != 0 || year%400 == 0)
	if day > 28 && (month == 2 && !(leap && day == 29) || day == 31 && (month == 4 || month == 6 || month == 9 || month == 11)) {
		return 0, false
	}
	y, m := year, month-3
	if m < 0 {
		y, m = y-1, m+12
	}
	ofYear := (153*m+2)/5 + day - 1
	return int64(365*y+floorDiv(y, 4)-floorDiv(y, 100)+floorDiv(y, 400)+ofYear) - 719468, true
}

// floorDiv rounds down: the year -1 is that of January and February of the year 0.
func floorDiv(a, b int) int {
	if a < 0 {
		return -1
	}
	return a / b
}
