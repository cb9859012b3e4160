package telemetry

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
)

// beginCourse begins the course of time of a run. A pipeline contains its runs, so theirs is that of the run before in
// its session. Elsewhere the clock may have been set back between two runs, and the next one has its own times.
func (s *agentWork) beginCourse(r *run, at clock.Moment) {
	if before := s.run; before != nil && r.inPipeline && r.sessionID != "" && before.sessionID == r.sessionID {
		r.course = before.course
		return
	}
	s.clock.NewRun()
	if at.FromLine() { // the line before may be from before the change
		r.course.Begin(at.At)
	}
}

// fit returns the time of an event by the clock with which its run began. It differs from that of the event's line if
// the agent's clock was set back during the run: what was exported keeps its times, and what follows continues them.
//
// Case 232: the clock was two hours ahead.
func (s *agentWork) fit(ev *events.DisplayEvent, at clock.Moment) clock.Moment {
	r, c := s.run, (*call)(nil)
	if ev.ParentID != "" {
		if c = s.findCall(ev.ParentID); c != nil {
			r = c.caller.run
		}
	}
	if ev.Copied || r.course.Straight(at) {
		r.course.Pass(at)
		return at
	}
	before, floor := r.course.Back(), clock.Floor{After: s.floorOf(ev, c)}
	if d := content.Reported(ev); d > 0 && floor.After.Known() {
		floor.Ends = floor.After.At.Add(d) // a reported duration is more accurate than any line
	}
	if r.isChild() {
		floor.Run = r.ref.Back()
	}
	at = r.course.Fit(at, floor)
	if back := r.course.Back(); back != before && !r.isChild() && !r.isJoined() {
		r.ref.SetBack(back)
	}
	return at
}

// place returns the time of an event that is not applied yet by the clock with which the current run began.
func (s *agentWork) place(at clock.Moment) clock.Moment {
	if s.run == nil || s.run.course.Straight(at) {
		return at
	}
	return s.run.course.Place(at, s.run.top.span.Start)
}

// floorOf returns a time that an event cannot precede. by is the call that started its agent, if that is a sub-agent.
// Some formats list a result before calls of the same message that began earlier, and the usage of a message after the
// results of its calls.
func (s *agentWork) floorOf(ev *events.DisplayEvent, by *call) clock.Moment {
	a := s.run.top
	if ev.Kind == events.KindToolResult {
		if c := s.findCall(ev.Tool.ID); c != nil && !c.closed {
			return c.Span.Start
		}
	}
	switch {
	case by == nil:
	case by.child == nil:
		return by.Span.Start
	default:
		a = by.child
	}
	switch {
	case content.Ends(ev):
		return a.span.Start
	case a.chat.is(ev):
		return a.chat.Span.Start
	case ev.MessageID != "" && content.Speaks(ev.Kind) && a.thread.LastInput.Known():
		return a.thread.LastInput // the first part of an answer
	default:
		return a.span.Start
	}
}

// restamp sets the time of everything that has a guessed time and was not exported. Exported records and spans keep
// their times, and the enclosing spans still cover them.
func (s *agentWork) restamp(m clock.Moment) {
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
