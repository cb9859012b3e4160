package telemetry

import "github.com/tailspan/tailspan/session/clock"

// setBack handles a clock that was set back during a run: the time of a line is before that of earlier lines. Open
// items that began by the wrong clock began no later than that line. A run keeps its times if something below it was
// exported.
//
// Case 232: the clock was two hours ahead.
func (s *Stream) setBack(at clock.Moment) {
	r := s.run
	if !s.clock.SteppedBack(at) || r == nil || r.closed {
		return
	}
	if r.isChild() || !r.top.span.Start.At.After(at.At) || r.top.inside.Start.Known() || len(s.open.agents) > 0 {
		return // results of concurrent calls are in no order, and exported items cannot be moved
	}
	r.top.span.SetBack(at)
	for _, i := range r.openIntervals() {
		i.SetBack(at)
	}
	if r.top.thread.LastInput.At.After(at.At) {
		r.top.thread.LastInput = at
	}
	r.begin.known, r.top.clamped = false, true // a reported duration is more accurate than any line
	s.past.lastEnd = clock.Moment{}
}

// openIntervals returns the intervals of the run's open calls.
func (r *run) openIntervals() []*clock.Interval {
	var list []*clock.Interval
	for _, c := range r.calls.open {
		list = append(list, &c.Span)
	}
	for _, c := range []*chat{r.top.chat, r.first} {
		if c != nil {
			list = append(list, &c.Span)
		}
	}
	return list
}

// restamp sets the time of everything that has a guessed time and was not exported. Exported records and spans keep
// their times, and the enclosing spans still cover them.
func (s *Stream) restamp(m clock.Moment) {
	s.past.lastEnd.Restamp(m) // otherwise the end would limit the start of a measured run
	if s.run == nil || s.run.closed {
		return
	}
	r := s.run
	r.top.restamp(m)
	for _, a := range s.open.agents {
		a.restamp(m)
	}
	for _, c := range r.calls.open {
		c.Span.Restamp(m)
		if c.child != nil {
			c.Span.CoverAll(&c.child.span)
		}
		c.caller.cover(&c.Span.Start, &c.Span.End)
	}
	if r.first != nil {
		r.first.Span.Restamp(m)
	}
}

func (a *agent) restamp(m clock.Moment) {
	a.span.Restamp(m)
	a.span.CoverAll(&a.inside)
	a.thread.LastInput.Restamp(m)
	if a.chat != nil {
		a.chat.Span.Restamp(m)
	}
}
