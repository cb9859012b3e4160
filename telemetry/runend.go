package telemetry

import (
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// recordEnd makes the record of the end of a run that no line of the format ends, so that every run has one. It is of no
// event, and has the attributes of one that ends a run.
func (s *Stream) recordEnd(r *run, why otlp.CloseReason) {
	if r.end.by != events.KindUnspecified || !r.top.exports() || r.isSecond() {
		return
	}
	parts := otlp.AppendParts(make([]byte, 0, 256), otlp.DomainRecord, 0, s.settings.Agent.Provider, r.sessionID, otlp.EventNameRunEnd, r.traceID.String(), r.top.spanID.String())
	if !s.registry.firstRecord(parts) || s.suppressed {
		return
	}
	v := s.evidenceOf(r, why).verdict()
	at := r.top.span.End
	end := events.End{
		Error: v.errorType() != "", Interrupted: v.outcome == events.OutcomeInterrupted, Decided: v.outcome,
		Cause: events.Cause(v.errorType()), Err: v.message, Totals: r.totalsAt(at),
	}
	severity := plog.SeverityNumberInfo
	if v.errorType() != "" {
		severity = plog.SeverityNumberError
	}
	m := s.sink.AddRecord(r.resource, recordAt(at, s.moved, r.top.ref(), otlp.UIDOf(parts)), otlp.EventNameRunEnd, severity, string(otlp.AppendEnd(nil, "run", &end)))
	otlp.PutStr(m, otlp.AttrGenAIConversationID, r.sessionID)
	otlp.PutStr(m, otlp.AttrGenAIAgentName, r.top.name)
	otlp.PutStr(m, otlp.AttrAgentID, r.top.id)
	m.PutStr(otlp.AttrCloseReason, string(v.reason))
	s.writer.End(m, &end)
}
