package telemetry

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pending"
)

// closing is what is known when a run is closed and needed until its span is written.
type closing struct {
	late *lateEnd // set if the record of the run's end is pending
	// exit is the exit of the process if the run was its last; nil if unknown. It is final once exitKnown is set.
	exit      *outcome.Exit
	exitKnown bool
	report    usageReport
	// abandoned is true if the run did not show its end and nothing followed it. It was silent, so it lasted as long as its
	// sub-agents were at work.
	abandoned bool
	// silent is true if a silence ended the run, or one of its sub-agents, while sub-agents were at work, which may continue.
	silent bool
	// other is true if the run's span waits for another account of the run; see [run.awaitsOther].
	other bool
}

// usageReport is whether the usage of a sub-agent in a separate stream was reported to its run.
type usageReport uint8

const (
	usageUnreported usageReport = iota
	usageReported               // its work seems to be over
	usageDue                    // it is closed, and is reported once its stream does not continue
)

// lateEnd is the record of a run's end that waits with its span.
type lateEnd struct {
	event  *events.DisplayEvent // nil if no line of the format ends the run
	chat   *chat                // the model call open at that time
	at     clock.Moment
	from   pending.Origin
	number int64
}

// endsLater reports whether the record of the event that ends a run waits with the run's span, and stores it until then.
func (s *endings) endsLater(a *agent, ev *events.DisplayEvent, at clock.Moment, o pending.Origin) bool {
	r := a.run
	if a != r.top || r.closed || r.subAgent || !content.Ends(ev) || ev.End == nil {
		return false
	}
	if r.closing.other = r.awaitsOther(s.self); !s.waitsForLinked(r) {
		return false
	}
	kept := *ev
	r.closing.late = &lateEnd{event: &kept, chat: a.chat, at: at, from: o, number: r.resource.NextNumber()}
	return true
}

// endRecord writes the record of the end of a run that no line ends, or makes it wait with the run's span.
func (s *endings) endRecord(r *run, why otlp.CloseReason) {
	switch {
	case r.end.by != events.KindUnspecified:
	case s.waitsForLinked(r):
		r.closing.late = &lateEnd{}
	default:
		s.takeLinked(r)
		s.recordEnd(r, why)
	}
}

// reportDue reports the usage of a closed sub-agent that no further line continues.
func (s *endings) reportDue(r *run) {
	if r != nil && r.closing.report == usageDue {
		r.closing.report = usageReported
		s.enterLinked(r, true)
	}
}

// attachTotals adds the totals of the run to its end, for readers that did not see its beginning.
func (s *endings) attachTotals(a *agent, ev *events.DisplayEvent, at clock.Moment) {
	r := a.run
	if !content.Ends(ev) || ev.End == nil || a.call != nil {
		return
	}
	if !r.closed {
		s.takeLinked(r)
	}
	end := *ev.End
	if end.Totals = r.totalsAt(at); r.end.by != ev.Kind && r.closed { // a second end does not know the sub-agents
		end.Totals.Incomplete = false
	}
	e := outcome.Evidence{End: ev.End, Signs: r.signs, Open: len(r.calls.open) > 0, Why: otlp.CloseReasonResult}
	v := e.Verdict()
	if !ev.Synthetic {
		end.Decided, end.Cause = v.Outcome, v.Cause
	}
	if left := outcome.WithoutResult(v.Inner()); left.ErrorType != "" {
		end.Totals.ToolErrors += r.unanswered()
	}
	ev.End = &end
}
