package telemetry

import (
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/events"
)

// recordEnd makes the record of the end of a run that no line of the format ends, so that every run has one. It is of no
// event, and has the attributes of one that ends a run.
func (s *Stream) recordEnd(r *run, why CloseReason) {
	if r.endedBy != events.KindUnspecified || !r.top.exports() || r.standing == standingSecond {
		return
	}
	parts := appendParts(make([]byte, 0, 256), domainRecord, 0, s.settings.Agent.Provider, r.sessionID, EventNameRunEnd, r.traceID.String(), r.top.spanID.String())
	if !s.registry.firstRecord(parts) || s.suppressed {
		return
	}
	v := s.evidenceOf(r, why).verdict()
	at := r.top.span.End
	end := events.End{
		Error: v.errorType() != "", Interrupted: v.outcome == events.OutcomeInterrupted, Decided: v.outcome,
		Cause: events.Cause(v.errorType()), Err: v.message, Totals: r.totalsAt(at),
	}
	lr := s.sink.record(r.resource)
	lr.SetEventName(EventNameRunEnd)
	lr.SetSeverityNumber(plog.SeverityNumberInfo)
	lr.SetSeverityText("INFO")
	if v.errorType() != "" {
		lr.SetSeverityNumber(plog.SeverityNumberError)
		lr.SetSeverityText("ERROR")
	}
	lr.Body().SetStr(string(appendEnd(nil, "run", &end)))
	s.stamp(lr, at, s.moved)
	lr.SetTraceID(r.traceID)
	lr.SetSpanID(r.top.spanID)
	m := lr.Attributes()
	putStr(m, AttrGenAIConversationID, r.sessionID)
	putStr(m, AttrGenAIAgentName, r.top.name)
	putStr(m, AttrAgentID, r.top.id)
	m.PutStr(AttrCloseReason, string(v.reason))
	s.writer.end(m, &end)
	m.PutStr(AttrLogRecordUID, s.sink.encodeUID(uidOf(parts)))
}
