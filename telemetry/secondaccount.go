package telemetry

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
)

// joinAccount makes a run a further account of one that another stream was the first with: what it has beyond that goes
// into the trace of the first, below its run. Its own step is exported, with a link to that run.
func (s *Stream) joinAccount(r *run) {
	ref := r.account.Run()
	otherKind := s.settings.Agent.StreamIDs && s.recorded != ref.Recorded
	r.standing = s.registry.accounts.Join(r.account, s.settings.ID, r.key, otherKind)
	r.late = r.account.Over()
	r.ref, r.traceID, r.idScope, r.top.spanID = ref, ref.Trace, ref.Scope, ref.Top
	s.stepOfAccount(r, r.account.Resource(), refTo(ref))
}

// stepOfAccount enters a second account under its own pipeline and step, which link to the run of the first.
func (s *Stream) stepOfAccount(r *run, ofFirst *otlp.Resource, first otlp.SpanRef) {
	if s.settings.Parent.Empty() {
		r.inPipeline = s.registry.accountStarted(r.resource, ofFirst, first)
	}
}

// waitsForFirst reports whether the run is a second account that was opened before the first one is over: its events wait
// on, and those that the limits leave no room for are dropped, since the first account has them most likely.
func (r *run) waitsForFirst() bool {
	if r == nil || !r.isJoined() || r.late {
		return false
	}
	r.late = r.account.Over()
	return !r.late
}

// secondExports reports whether an event of a second account may go out: what the agent said and did.
func secondExports(kind events.Kind) bool {
	switch kind {
	case events.KindText, events.KindReasoning, events.KindMessage, events.KindToolUse, events.KindToolResult, events.KindUsage:
		return true
	default:
		return false
	}
}

// decision is what becomes of a record.
type decision uint8

const (
	recordDropped decision = iota
	recordExported
	recordWaits // for what its model call says beside it
)

func exportedIf(yes bool) decision {
	if yes {
		return recordExported
	}
	return recordDropped
}

// exportsRecord decides on the record of an event, as far as the account decides: of a second account goes out what the first
// does not have.
func (s *Stream) exportsRecord(a *agent, of *call, what sighting) decision {
	r, ev := a.run, what.ev
	switch {
	case !a.exports():
		return recordDropped
	case !r.isJoined():
		return recordExported
	case !secondExports(ev.Kind):
		return recordDropped
	case ev.Kind == events.KindUsage: // with the model call that it is of, else it is a total
		return exportedIf(a.chat.isNamed(ev) && !a.chat.elsewhere)
	case r.standing == account.Joined:
		return recordExported
	case of != nil:
		return exportedIf(!of.elsewhere)
	case words(ev):
		return s.decideWords(a, what)
	default:
		return exportedIf(!s.hasSign(r, ev))
	}
}

// exported reports whether the span of a call goes out as this stream has it.
func (c *call) exported() bool { return c.caller.exports() && !c.elsewhere }

// outside reports whether a span of a second account does not lie inside of what the first exported above it.
func (r *run) outside(a *agent, i *clock.Interval) bool {
	if !r.isJoined() {
		return false
	}
	over := r.account.Run().Span()
	return a.call != nil || over == nil || !over.Contains(*i)
}

// dropped counts a record that does not go out since another stream exports it, or its original.
func (s *Stream) dropped(r *run) {
	switch {
	case s.suppressed:
	case r.isCopy():
		s.count().Copied++
	default:
		s.count().OtherAccount++
	}
}
