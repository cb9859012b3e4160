package telemetry

import (
	"cmp"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
)

// failedCall writes the model call that failed, as an event shows. The model said nothing, so it is in no other span; it
// lasted from what it was to answer, retries included.
func (s *Stream) failedCall(a *agent, ev *events.DisplayEvent, at moment) {
	id := cmp.Or(ev.MessageID, ev.ItemID)
	if !ev.Sign.ModelCall || id == "" || a.closed {
		return
	}
	s.closeChat(a)
	r, span := a.run, interval{}
	span.cover(&at)
	if a.lastInput.at.Before(at.at) {
		span.cover(&a.lastInput)
	}
	a.cover(&span.start, &span.end)
	a.inside.coverAll(&span)
	model := cmp.Or(ev.Model, a.models.only())
	occurrence := s.nth(&s.seenChats, r.key, id, domainFailed)
	out, ok := s.span(a, outline{
		spanID(domainChat, occurrence, s.settings.Agent.Provider, r.idSession, r.key, id, domainFailed),
		a.spanID, ptrace.SpanKindClient, OperationChat, model, chatAttributes,
	}, &span)
	if !ok {
		return
	}
	m := out.Attributes()
	putStr(m, AttrGenAIProviderName, cmp.Or(ev.ModelProvider, s.settings.Agent.System))
	putStr(m, AttrGenAIRequestModel, model)
	putStr(m, AttrGenAIAgentName, a.name)
	m.PutStr(AttrCloseReason, string(CloseReasonResult))
	setError(out, string(ev.Sign.Cause), ev.Text)
	s.meter.duration(meteredKey{
		instrument: instrumentInference, model: model, agent: a.name, errorType: string(ev.Sign.Cause),
	}, &span, spanRef{r.traceID, out.SpanID()})
}

// domainFailed keeps the id of a failed call apart from that of an answer with the same id.
const domainFailed = "failed"
