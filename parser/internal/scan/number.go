package scan

import (
	"math"
	"strconv"
	"time"
)

// Int returns an integer, truncated towards zero if v has a fraction or an exponent and limited to the range of
// int64. It returns 0 if v is not a number.
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

// noCount replaces numbers that are not counts. It exceeds events.MaxTokens, so package parser ignores it, and sums of
// several of them do not overflow.
const noCount = 1 << 56

// Count returns an integer from 0 to 2^56. Any number outside that range is replaced by 2^56.
func (v Value) Count() int64 { return countOf(v.Int()) }

func countOf(n int64) int64 {
	if n < 0 || n > noCount {
		return noCount
	}
	return n
}

// Duration returns a number of units as a duration; see [Span].
func (v Value) Duration(unit time.Duration) time.Duration { return Span(v.Float(), unit) }

// Span returns n units as a duration. A value that does not fit becomes the longest or the shortest duration: both are
// beyond events.MaxDuration, so package parser ignores them.
func Span(n float64, unit time.Duration) time.Duration {
	switch n *= float64(unit); {
	case n >= math.MaxInt64:
		return math.MaxInt64
	case n > math.MinInt64:
		return time.Duration(n)
	default: // or NaN
		return math.MinInt64
	}
}

// wideInt parses anything but a plain short integer.
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

// Float returns a number, or 0 if v is not a number.
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

// Int reads the next value and returns its [Value.Int]. It parses a plain number while it searches for the end.
func (s *Scanner) Int() int64 {
	const most = 18 // digits that always fit
	data := s.data[s.pos:]
	n, i := int64(0), 0
	for ; i < len(data) && i < most; i++ {
		digit := data[i] - '0'
		if digit > 9 {
			break
		}
		n = n*10 + int64(digit)
	}
	if i == 0 || i == len(data) || data[0] == '0' && i > 1 || data[i] != ',' && data[i] != '}' {
		return s.Value().Int()
	}
	s.pos, s.first = s.pos+i, false
	return n
}

// Count reads the next value and returns its [Value.Count].
func (s *Scanner) Count() int64 { return countOf(s.Int()) }

// numberEnd returns the offset after the number at i, or -1 if there is no valid number.
func numberEnd(data []byte, i int) int {
	if data[i] == '-' {
		i++
	}
	switch {
	case i >= len(data):
		return -1
	case data[i] == '0':
		i++
	case data[i] >= '1' && data[i] <= '9':
		i = digitsEnd(data, i)
	default:
		return -1
	}
	if i < len(data) && data[i] == '.' {
		start := i + 1
		if i = digitsEnd(data, start); i == start {
			return -1
		}
	}
	if i < len(data) && data[i]|0x20 == 'e' {
		start := i + 1
		if start < len(data) && (data[start] == '+' || data[start] == '-') {
			start++
		}
		if i = digitsEnd(data, start); i == start {
			return -1
		}
	}
	return i
}

func digitsEnd(data []byte, i int) int {
	for i < len(data) && data[i] >= '0' && data[i] <= '9' {
		i++
	}
	return i
}
