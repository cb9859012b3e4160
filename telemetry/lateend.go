package telemetry

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/work"
)

// endsLater reports whether the record of the event that ends a run waits with the run's span, and stores it until then.
func (s *endings) endsLater(a *work.Agent, ev *events.DisplayEvent, at clock.Moment, o pending.Origin) bool {
	r := a.Run
	if a != r.Top || r.Closed || r.SubAgent || !content.Ends(ev) || ev.End == nil {
		return false
	}
	if r.Closing.Other = s.share.AwaitsOther(r, s.live || s.settings.AwaitExit); !s.waitsForLinked(r) {
		return false
	}
	kept := *ev
	r.Closing.Late = &work.LateEnd{Sighting: pending.Sighting{Event: &kept, At: at, From: o, Number: r.Resource.NextNumber()}, Chat: a.Chat}
	return true
}

// endRecord writes the record of the end of a run that no line ends, or makes it wait with the run's span.
func (s *endings) endRecord(r *work.Run, why otlp.CloseReason) {
	switch {
	case r.End.By != events.KindUnspecified:
	case s.waitsForLinked(r):
		r.Closing.Late = &work.LateEnd{}
	default:
		s.family.Take(r)
		s.recordEnd(r, why)
	}
}

// reportDue reports the usage of a closed sub-agent that no further line continues.
func (s *endings) reportDue(r *work.Run) {
	if r != nil && r.Closing.Report == work.Due {
		r.Closing.Report = work.Reported
		s.family.Enter(r, true)
	}
}

// attachTotals adds the totals of the run to its end, for readers that did not see its beginning.
func (s *endings) attachTotals(a *work.Agent, ev *events.DisplayEvent, at clock.Moment) {
	r := a.Run
	if !content.Ends(ev) || ev.End == nil || a.Call != nil {
		return
	}
	if !r.Closed {
		s.family.Take(r)
	}
	end := *ev.End
	if end.Totals = r.TotalsAt(at); r.End.By != ev.Kind && r.Closed { // a second end does not know the sub-agents
		end.Totals.Incomplete = false
	}
	e := outcome.Evidence{End: ev.End, Signs: r.Signs, Open: r.Calls.AnyOpen(), Why: otlp.CloseReasonResult}
	v := e.Verdict()
	if !ev.Synthetic {
		end.Decided, end.Cause = v.Outcome, v.Cause
	}
	if left := outcome.WithoutResult(v.Inner()); left.ErrorType != "" {
		end.Totals.ToolErrors += r.Unanswered()
	}
	ev.End = &end
}
