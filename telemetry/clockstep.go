package telemetry

import "time"

// clockStep is how far a line's time may lie before that of an earlier line: lines are written out of order, by little.
const clockStep = time.Minute

// setBack notices a clock that was set back in the middle of a run: a line gives a time before that of the lines before it.
// What is open and began by the wrong clock began no later than that line. A run keeps the times of what was exported below
// it.
//
// Case 232: the clock was two hours ahead.
func (s *Stream) setBack(at moment) {
	r := s.run
	if at.source != TimeSourceLine || !s.lastApplied.known() || s.lastApplied.at.Sub(at.at) < clockStep || r == nil || r.closed {
		return
	}
	if r.childKey != (agentKey{}) || !r.top.span.start.at.After(at.at) || r.top.inside.start.known() || len(s.agents) > 0 {
		return // results of calls that ran side by side are in no order, and what is exported can't be moved
	}
	r.top.span.setBack(at)
	for _, i := range s.openIntervals() {
		i.setBack(at)
	}
	if r.top.lastInput.at.After(at.at) {
		r.top.lastInput = at
	}
	r.startKnown, r.top.clamped = false, true // its reported duration does better than any line
	s.lastEnd = moment{}
}

// openIntervals are the times of the calls that the run at work has open.
func (s *Stream) openIntervals() []*interval {
	r := s.run
	var list []*interval
	for _, c := range r.calls.open {
		list = append(list, &c.span)
	}
	for _, c := range []*chat{r.top.chat, r.first} {
		if c != nil {
			list = append(list, &c.span)
		}
	}
	return list
}

// setBack moves an interval that begins after at to it.
func (i *interval) setBack(at moment) {
	if i.start.at.After(at.at) {
		*i = interval{start: at, end: at}
	}
}
