package telemetry

import "time"

// A recorded stream may be played back line by line, and is read live then: its lines come now, with times of long ago.
// The arrival of a line is not the time of its event. That shows with the first line time; what was stamped until
// then with its arrival, or with the file's time, takes that line time, the nearest later one.

// playbackLag is how far the first line time of a stream may lie from its arrival: clocks differ, and lines are buffered.
const playbackLag = time.Minute

// guessed notes a time that was used because no line has one.
func (s *Stream) guessed(m moment) moment {
	s.guess = later(s.guess, m)
	return m
}

// showsPlayback reports whether the first line time proves that the stream is played back: it lies away from the line's
// arrival. A line that is not live proves it by a time earlier than those that were used for lines before it.
func (s *Stream) showsPlayback(lineTime time.Time, line Line) bool {
	if line.Live {
		return lineTime.Sub(line.Arrival).Abs() > playbackLag
	}
	return s.guess.known() && instantOf(lineTime).Before(s.guess.at.Add(-playbackLag))
}

// endAt is when the run ends whose process ended at the moment at, by the clock. What is played back ended with the last
// line time.
func (s *Stream) endAt(at moment) moment {
	if s.playback {
		return s.lastTime
	}
	return at
}

// restamp gives m to all that was not exported and has a guessed time. Exported records keep their times, and so do
// spans: what they lie in still covers them.
func (s *Stream) restamp(m moment) {
	s.playback = true
	s.lastEnd.restamp(m) // else no duration could reach back behind it
	if s.run == nil || s.run.closed {
		return
	}
	r := s.run
	r.top.restamp(m)
	for _, a := range s.agents {
		a.restamp(m)
	}
	for _, c := range r.calls.open {
		c.span.restamp(m)
		if c.child != nil {
			c.span.coverAll(&c.child.span)
		}
		c.caller.cover(&c.span.start, &c.span.end)
	}
	if r.first != nil {
		r.first.span.restamp(m)
	}
}

// guessed reports whether no line has the time, nor one near it.
func (m moment) guessed() bool { return m.source == TimeSourceArrival || m.source == TimeSourceFile }

func (a *agent) restamp(m moment) {
	a.span.restamp(m)
	a.span.coverAll(&a.inside)
	a.lastInput.restamp(m)
	if a.chat != nil {
		a.chat.span.restamp(m)
	}
}

func (i *interval) restamp(m moment) {
	i.start.restamp(m)
	i.end.restamp(m)
}

func (m *moment) restamp(better moment) {
	if m.guessed() {
		*m = better
	}
}
