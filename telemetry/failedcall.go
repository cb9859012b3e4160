package telemetry

import (
	"cmp"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
)

// failedCall writes the model call that failed, as an event shows. The model said nothing, so it is in no other span; it
// lasted from what it was to answer, retries included.
func (s *Stream) failedCall(a *agent, ev *events.DisplayEvent, at clock.Moment) {
	id := cmp.Or(ev.MessageID, ev.ItemID)
	if !ev.Sign.ModelCall || id == "" || a.closed {
		return
	}
	s.closeChat(a)
	r, span := a.run, clock.Interval{}
	span.Cover(&at)
	asked := a.lastInput.Known() && a.lastInput.At.Before(at.At)
	if asked {
		span.Cover(&a.lastInput)
	}
	a.cover(&span.Start, &span.End)
	model := cmp.Or(ev.Model, a.models.only())
	occurrence := s.seen.nth(&s.seen.chats, r.key, id, domainFailed)
	s.finishChat(a, &chat{
		model: model, system: cmp.Or(ev.ModelProvider, s.settings.Agent.System), span: span, unasked: !asked,
		spanID: otlp.NewSpanID(otlp.DomainChat, occurrence, s.settings.Agent.Provider, r.idSession, r.key, id, domainFailed),
		failed: &failedAnswer{cause: string(ev.Sign.Cause), text: strings.Clone(ev.Text)},
	})
}

// failedAnswer is what came in the place of an answer.
type failedAnswer struct{ cause, text string }

// domainFailed keeps the id of a failed call apart from that of an answer with the same id.
const domainFailed = "failed"
