package telemetry

import "time"

// moment is a point in time and where it comes from.
type moment struct {
	at     time.Time
	source TimeSource
}

func (m moment) known() bool { return !m.at.IsZero() }

// interval is the time that a span covers. It grows over what happens inside it.
type interval struct {
	start, end moment
}

// cover stretches the interval over m.
func (i *interval) cover(m moment) {
	if !m.known() {
		return
	}
	if !i.start.known() || m.at.Before(i.start.at) {
		i.start = m
	}
	if !i.end.known() || m.at.After(i.end.at) {
		i.end = m
	}
}

// coverAll stretches the interval over another.
func (i *interval) coverAll(o interval) {
	i.cover(o.start)
	i.cover(o.end)
}

// holds reports whether o lies inside i.
func (i *interval) holds(o interval) bool {
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

// worst is the less certain of two sources: a span is as good as its worse end.
func worst(a, b TimeSource) TimeSource {
	rank := func(s TimeSource) int {
		switch s {
		case TimeSourceLine:
			return 0
		case TimeSourceCarried:
			return 1
		case TimeSourceArrival:
			return 2
		default:
			return 3
		}
	}
	if rank(b) > rank(a) {
		return b
	}
	return a
}
