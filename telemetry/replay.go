package telemetry

import "time"

// A recorded stream may be written again line by line, and is read live then: its lines come now, and tell of long ago.
// The time that a line came is none of its event's. That shows with the first time that is told; what was dated until
// then by its arrival, or by the file, takes that told time, the nearest later one.

// replayLag is how far the first time that a stream tells may lie from its arrival: clocks differ, and lines are held back.
const replayLag = time.Minute

// guessed notes a time that the stream gave because none was told.
func (s *Stream) guessed(m moment) moment {
	s.guess = later(s.guess, m)
	return m
}

// showsReplay reports whether the first told time proves that the stream is written again: it lies away from the line's
// arrival. A line that is not live proves it by telling an earlier time than lines before it were given.
func (s *Stream) showsReplay(told time.Time, line Line) bool {
	if line.Live {
		return told.Sub(line.Arrival).Abs() > replayLag
	}
	return s.guess.known() && instantOf(told).Before(s.guess.at.Add(-replayLag))
}

// endAt is when the run ends whose process ended at the moment at, by the clock. What is written again ended with the last
// time that it told.
func (s *Stream) endAt(at moment) moment {
	if s.replay {
		return s.lastTime
	}
	return at
}

// redate gives m to all that has not gone out and was dated by guess. Records that went out keep their times, and so do
// spans: what they lie in still covers them.
func (s *Stream) redate(m moment) {
	s.replay = true
	s.lastEnd.redate(m) // else no duration could reach back behind it
	if s.run == nil || s.run.closed {
		return
	}
	r := s.run
	r.top.redate(m)
	for _, a := range s.agents {
		a.redate(m)
	}
	for _, c := range r.calls.open {
		c.span.redate(m)
		if c.child != nil {
			c.span.coverAll(&c.child.span)
		}
		c.caller.cover(&c.span.start, &c.span.end)
	}
	if r.first != nil {
		r.first.span.redate(m)
	}
}

// guessed reports whether no line told the time, nor one near it.
func (m moment) guessed() bool { return m.source == TimeSourceArrival || m.source == TimeSourceFile }

func (a *agent) redate(m moment) {
	a.span.redate(m)
	a.span.coverAll(&a.inside)
	a.lastInput.redate(m)
	if a.chat != nil {
		a.chat.span.redate(m)
	}
}

func (i *interval) redate(m moment) {
	i.start.redate(m)
	i.end.redate(m)
}

func (m *moment) redate(told moment) {
	if m.guessed() {
		*m = told
	}
}
