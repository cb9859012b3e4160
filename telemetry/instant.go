package telemetry

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// instant is a point in time in Unix nanoseconds; zero is none. Everything that is open holds some of them, and a
// time.Time takes three times the memory.
type instant int64

// instantOf is t without its zone. It is never before 1970, as a timestamp has no sign.
func instantOf(t time.Time) instant {
	if t.IsZero() {
		return 0
	}
	return instant(max(t.UnixNano(), 1))
}

// IsZero reports whether i is no time.
func (i instant) IsZero() bool { return i == 0 }

// plausible reports whether an agent may have run at i.
func (i instant) plausible() bool { return plausible(time.Unix(0, int64(i))) }

// Before reports whether i lies before o. None lies before all.
func (i instant) Before(o instant) bool { return i < o }

// After reports whether i lies after o.
func (i instant) After(o instant) bool { return i > o }

// Add is the time that lies d after i, and not before 1970.
func (i instant) Add(d time.Duration) instant { return max(i+instant(d), 1) }

// Sub is the time that passed from o to i.
func (i instant) Sub(o instant) time.Duration { return time.Duration(i - o) }

func (i instant) timestamp() pcommon.Timestamp { return pcommon.Timestamp(i) }
