package work

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
)

// Fit returns the time of an event by the clock with which its run began. It differs from that of the event's line if
// the agent's clock was set back during the run: what was exported keeps its times, and what follows continues them.
//
// Case 232: the clock was two hours ahead.
func (o *Open) Fit(current *Run, ev *events.DisplayEvent, at clock.Moment) clock.Moment {
	r, c := current, (*Call)(nil)
	if ev.ParentID != "" {
		if c = o.FindCall(current, ev.ParentID); c != nil {
			r = c.Caller.Run
		}
	}
	if ev.Copied || r.Course.Straight(at) {
		r.Course.Pass(at)
		return at
	}
	before, floor := r.Course.Back(), clock.Floor{After: o.floorOf(current, ev, c)}
	if d := content.Reported(ev); d > 0 && floor.After.Known() {
		floor.Ends = floor.After.At.Add(d) // a reported duration is more accurate than any line
	}
	if r.IsChild() {
		floor.Run = r.Ref.Back()
	}
	at = r.Course.Fit(at, floor)
	if back := r.Course.Back(); back != before && !r.IsChild() && !r.IsJoined() {
		r.Ref.SetBack(back)
	}
	return at
}

// floorOf returns a time that an event cannot precede. by is the call that started its agent, if that is a sub-agent.
// Some formats list a result before calls of the same message that began earlier, and the usage of a message after the
// results of its calls.
func (o *Open) floorOf(current *Run, ev *events.DisplayEvent, by *Call) clock.Moment {
	a := current.Top
	if ev.Kind == events.KindToolResult {
		if c := o.FindCall(current, ev.Tool.ID); c != nil && !c.Closed() {
			return c.Span.Start
		}
	}
	switch {
	case by == nil:
	case by.Child == nil:
		return by.Span.Start
	default:
		a = by.Child
	}
	switch {
	case content.Ends(ev):
		return a.Time.Start
	case a.Chat.Is(ev):
		return a.Chat.Span.Start
	case ev.MessageID != "" && content.Speaks(ev.Kind) && a.Thread.LastInput.Known():
		return a.Thread.LastInput // the first part of an answer
	default:
		return a.Time.Start
	}
}
