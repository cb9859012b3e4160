package telemetry

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
)

// joinAccount makes a run a further account of a run whose first account is in another stream. Its additional content
// goes into the trace of the first, below its run. Its own step is exported with a link to that run.
func (s *Stream) joinAccount(r *run) {
	ref := r.account.Run()
	otherKind := s.settings.Agent.StreamIDs && s.recorded != ref.Recorded
	r.standing = s.registry.accounts.Join(r.account, s.settings.ID, r.key, otherKind)
	r.late = r.account.Over()
	r.ref, r.traceID, r.idScope, r.top.spanID = ref, ref.Trace, ref.Scope, ref.Top
	s.stepOfAccount(r, r.account.Resource(), refTo(ref))
}

// stepOfAccount adds a second account to its own pipeline and step, which link to the first account's run.
func (s *Stream) stepOfAccount(r *run, ofFirst *otlp.Resource, first otlp.SpanRef) {
	if s.settings.Parent.Empty() {
		r.inPipeline = s.registry.accountStarted(r.resource, ofFirst, first)
	}
}

// waitsForFirst reports whether the run is a second account that was opened before the first one ended. Its events stay
// pending. Those that exceed the limits are dropped, because the first account most likely has them.
func (r *run) waitsForFirst() bool {
	if r == nil || !r.isJoined() || r.late {
		return false
	}
	r.late = r.account.Over()
	return !r.late
}

// secondExports reports whether events of this kind may be exported from a second account: what the agent said and did.
func secondExports(kind events.Kind) bool {
	switch kind {
	case events.KindText, events.KindReasoning, events.KindMessage, events.KindToolUse, events.KindToolResult, events.KindUsage:
		return true
	default:
		return false
	}
}

// decision is the handling of a record.
type decision uint8

const (
	recordDropped decision = iota
	recordExported
	recordWaits // until the other texts of its model call are known
)

func exportedIf(yes bool) decision {
	if yes {
		return recordExported
	}
	return recordDropped
}

// exportsRecord decides on the record of an event, as far as accounts matter: a second account exports only what the
// first does not have.
func (s *Stream) exportsRecord(a *agent, of *call, what sighting) decision {
	r, ev := a.run, what.ev
	switch {
	case !a.exports():
		return recordDropped
	case !r.isJoined():
		return recordExported
	case !secondExports(ev.Kind):
		return recordDropped
	case ev.Kind == events.KindUsage: // with the model call that reported it; otherwise it is a total
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

// exported reports whether this stream exports the span of the call.
func (c *call) exported() bool { return c.caller.exports() && !c.elsewhere }

// outside reports whether a span of a second account is not within the exported span of the first account above it.
func (r *run) outside(a *agent, i *clock.Interval) bool {
	if !r.isJoined() {
		return a.role == roleJoined
	}
	over := r.account.Run().Span()
	return a.call != nil || over == nil || !over.Contains(*i)
}

// dropped counts a record that is not exported because another stream exports it or its original.
func (s *Stream) dropped(r *run) {
	switch {
	case s.suppressed:
	case r.isCopy():
		s.count().Copied++
	default:
		s.count().OtherAccount++
	}
}
