package telemetry

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// recordEnd writes the record of a run's end if no line of the format ends the run, so that every run has one. It has
// the attributes of an event that ends a run.
func (s *Stream) recordEnd(r *run, why otlp.CloseReason) {
	if r.end.by != events.KindUnspecified || !r.top.exports() || r.isSecond() {
		return
	}
	parts := otlp.AppendParts(make([]byte, 0, 256), otlp.DomainRecord, 0, s.settings.Agent.Provider, r.sessionID, otlp.EventNameRunEnd, r.traceID.String(), r.top.spanID.String())
	if !s.registry.ids.FirstRecord(parts) || s.suppressed {
		return
	}
	v := s.process.evidenceOf(r, why).Verdict()
	at := r.top.span.End
	end := events.End{
		Error: v.ErrorType() != "", Interrupted: v.Outcome == events.OutcomeInterrupted, Decided: v.Outcome,
		Cause: events.Cause(v.ErrorType()), Err: v.Message, Totals: r.totalsAt(at),
	}
	out := recordAt(at, s.moved, r.top.ref(), otlp.UIDOf(parts))
	out.Conversation, out.Agent = r.sessionID, r.top.name
	s.sink.AddRunEnd(r.resource, &out, &end, r.top.id, v.Reason)
}
