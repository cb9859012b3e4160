package telemetry

import "github.com/tailspan/tailspan/session/clock"

// setBack notices a clock that was set back in the middle of a run: a line gives a time before that of the lines before it.
// What is open and began by the wrong clock began no later than that line. A run keeps the times of what was exported below
// it.
//
// Case 232: the clock was two hours ahead.
func (s *Stream) setBack(at clock.Moment) {
	r := s.run
	if !s.clock.SteppedBack(at) || r == nil || r.closed {
		return
	}
	if r.isChild() || !r.top.span.Start.At.After(at.At) || r.top.inside.Start.Known() || len(s.open.agents) > 0 {
		return // results of calls that ran side by side are in no order, and what is exported can't be moved
	}
	r.top.span.SetBack(at)
	for _, i := range r.openIntervals() {
		i.SetBack(at)
	}
	if r.top.thread.LastInput.At.After(at.At) {
		r.top.thread.LastInput = at
	}
	r.begin.known, r.top.clamped = false, true // its reported duration does better than any line
	s.past.lastEnd = clock.Moment{}
}

// openIntervals are the times of the calls that the run has open.
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

// restamp gives m to all that was not exported and has a guessed time. Exported records keep their times, and so do
// spans: what they lie in still covers them.
func (s *Stream) restamp(m clock.Moment) {
	s.past.lastEnd.Restamp(m) // else no duration could reach back behind it
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
