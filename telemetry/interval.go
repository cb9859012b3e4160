package telemetry

import (
	"time"

	"github.com/tailspan/tailspan/events"
)

// moment is a point in time and where it comes from.
type moment struct {
	at     instant
	source TimeSource
	// ahead is set if the time is that of something later: what it stands for happened before it, not after.
	ahead bool
	// lived is set if its line was written while the stream was followed: the clock judges what lies before it.
	lived bool
}

func (m moment) known() bool { return !m.at.IsZero() }

// interval is the time that a span covers. It grows over what happens inside it.
type interval struct {
	start, end moment
}

// cover stretches the interval over m. Every event comes by here several times, for all that it lies in, so what is large
// is not handed around.
func (i *interval) cover(m *moment) {
	if !m.known() {
		return
	}
	if !i.start.known() || m.at.Before(i.start.at) {
		i.start = *m
	}
	if !i.end.known() || m.at.After(i.end.at) {
		i.end = *m
	}
}

// coverAll stretches the interval over another.
func (i *interval) coverAll(o *interval) {
	i.cover(&o.start)
	i.cover(&o.end)
}

// holds reports whether o lies inside i.
func (i *interval) contains(o interval) bool {
	return !o.start.at.Before(i.start.at) && !o.end.at.After(i.end.at)
}

// clamp moves an end that lies before its start to the start and reports whether it had to.
func (i *interval) clamp() bool {
	if i.end.at.Before(i.start.at) {
		i.end.at = i.start.at
		return true
	}
	return false
}

// clampInto moves what lies outside of outer to its borders and reports whether anything did.
func (i *interval) clampInto(outer interval) bool {
	moved := false
	for _, m := range []*moment{&i.start, &i.end} {
		switch {
		case m.at.Before(outer.start.at):
			m.at, moved = outer.start.at, true
		case m.at.After(outer.end.at):
			m.at, moved = outer.end.at, true
		}
	}
	return moved
}

// maxSlack is how much longer the lines may show a call than the provider measured it, without that being a wait.
const maxSlack = 500 * time.Millisecond

// lasts gives the interval the length that the provider measured, where the lines have only one of its ends, or none.
// The better known end stays. Both ends as they arrived were measured by us, and stay too.
//
// It returns how long it waited, for approval or for its turn, where the lines have both ends and show a longer time.
func (i *interval) lasts(d time.Duration) (waited time.Duration) {
	start, end := i.start.source.rank(), i.end.source.rank()
	switch {
	case d <= 0 || !events.PlausibleDuration(d) || !i.start.known() || !i.end.known():
	case start == end && i.end.source == TimeSourceLine:
		if waited = i.end.at.Sub(i.start.at) - d; waited <= maxSlack {
			return 0
		}
		i.start.at = i.end.at.Add(-d)
	case start == end && i.end.source == TimeSourceArrival:
	case start < end, start == end && !i.end.ahead:
		i.end.correct(moment{at: i.start.at.Add(d), source: durationFrom(i.start)})
	default:
		i.start.correct(moment{at: i.end.at.Add(-d), source: durationFrom(i.end)})
	}
	return waited
}

// correct replaces m by a better time, unless that lies on the side of m where the truth can't be: after a
// later line time, or before an earlier one.
func (m *moment) correct(better moment) {
	late := m.ahead || m.source == TimeSourceBatch || m.source == TimeSourceArrival
	if late && !better.at.After(m.at) || !late && !better.at.Before(m.at) {
		*m = better
	}
}

// durationFrom is the source of a time that is a duration away from m: no better than m itself.
func durationFrom(m moment) TimeSource { return worst(TimeSourceDuration, m.source) }

// rank orders the sources, the surest first. No time is as good as that of the file.
func (s TimeSource) rank() TimeSource {
	if s == 0 {
		return TimeSourceFile
	}
	return s
}

// worst is the less certain of two sources: a span is as good as its worse end.
func worst(a, b TimeSource) TimeSource {
	if b.rank() > a.rank() {
		return b
	}
	return a
}
