package clock

import "time"

// Instant is a point in time in Unix nanoseconds; zero is none. Everything that is open holds some of them, and a
// time.Time takes three times the memory.
type Instant int64

// InstantOf is t without its zone. It is never before 1970, as a timestamp has no sign.
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

// Before reports whether i lies before o. None lies before all.
func (i Instant) Before(o Instant) bool { return i < o }

// After reports whether i lies after o.
func (i Instant) After(o Instant) bool { return i > o }

// Add is the time that lies d after i, and not before 1970.
func (i Instant) Add(d time.Duration) Instant { return max(i+Instant(d), 1) }

// Sub is the time that passed from o to i.
func (i Instant) Sub(o Instant) time.Duration { return time.Duration(i - o) }

// Unix seconds between which agents ran: the years from 2000 to 2200.
const (
	firstPlausible = 946_684_800
	lastPlausible  = 7_258_118_400
)

// Plausible refuses times that no agent ran at: garbage, and zero in its many spellings.
func Plausible(t time.Time) bool {
	sec := t.Unix()
	return sec >= firstPlausible && sec < lastPlausible
}
