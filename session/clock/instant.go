package clock

import "time"

// Instant is a point in time in Unix nanoseconds; zero is none. Every open item holds several, and a time.Time takes
// three times the memory.
type Instant int64

// InstantOf returns t without its zone. The result is never before 1970, because a timestamp has no sign.
func InstantOf(t time.Time) Instant {
	if t.IsZero() {
		return 0
	}
	return Instant(max(t.UnixNano(), 1))
}

// IsZero reports whether i is no time.
func (i Instant) IsZero() bool { return i == 0 }

// plausible reports whether an agent may have run at i.
func (i Instant) plausible() bool { return Plausible(time.Unix(0, int64(i))) }

// Before reports whether i is before o. Zero is before all others.
func (i Instant) Before(o Instant) bool { return i < o }

// After reports whether i is after o.
func (i Instant) After(o Instant) bool { return i > o }

// Add returns i+d, but not a time before 1970.
func (i Instant) Add(d time.Duration) Instant { return max(i+Instant(d), 1) }

// Sub returns the duration i-o.
func (i Instant) Sub(o Instant) time.Duration { return time.Duration(i - o) }

// Range of plausible times in Unix seconds: the years 2000 to 2200.
const (
	firstPlausible = 946_684_800
	lastPlausible  = 7_258_118_400
)

// Plausible rejects times at which no agent ran: garbage, and zero in its many encodings.
func Plausible(t time.Time) bool {
	sec := t.Unix()
	return sec >= firstPlausible && sec < lastPlausible
}
