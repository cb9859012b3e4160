package scan

import (
	"math"
	"strconv"
	"time"
)

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

// noCount stands for what is no count: it is more than events.MaxTokens, so package parser ignores it, and sums of some do
// not overflow.
const noCount = 1 << 56

// Count gives a count: an integer from 0 to 2^56, which any other number is taken for.
func (v Value) Count() int64 { return countOf(v.Int()) }

func countOf(n int64) int64 {
	if n < 0 || n > noCount {
		return noCount
	}
	return n
}

// Duration gives a number of units as a duration; see [Span].
func (v Value) Duration(unit time.Duration) time.Duration { return Span(v.Float(), unit) }

// Span is n units as a duration. What no duration can hold is the longest or the least one: beyond events.MaxDuration, so
// package parser ignores it.
func Span(n float64, unit time.Duration) time.Duration {
	switch n *= float64(unit); {
	case n >= math.MaxInt64:
		return math.MaxInt64
	case n > math.MinInt64:
		return time.Duration(n)
	default: // or no number
		return math.MinInt64
	}
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

// Int takes the value that comes next and gives its [Value.Int]. A plain number is read while its end is looked for.
func (s *Scanner) Int() int64 {
	const most = 18 // digits, of which any number fits
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

// Count takes the value that comes next and gives its [Value.Count].
func (s *Scanner) Count() int64 { return countOf(s.Int()) }

// numberEnd is the offset behind the number that begins at i; -1 if it is none.
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
