package claude

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/cause"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// sign is what an assistant line shows of the end of its run; last is the last event that it gave. The
// reason to stop is null in most lines of 1.0.128 to 2.1.30: there any text may be the last word.
func (p *Parser) sign(r *sdkstream.Envelope, last *events.DisplayEvent) events.Sign {
	if r.APIError.True() {
		status := int(r.Rest.AnyOf("apiErrorStatus", "api_error_status").Int())
		kind := p.Strings.Intern(r.Rest.AnyOf("apiErrorType", "api_error_type"))
		return events.Sign{
			Outcome: events.OutcomeError, ModelCall: true,
			Cause: cause.Of(status, last.Text, kind, p.Strings.Intern(r.Rest.Get("error"))),
		}
	}
	if !r.Transcript {
		return events.Sign{} // a stream has a line for the end
	}
	if r.Message.Model.Is(syntheticModel) {
		return events.Sign{}
	}
	switch string(r.Message.Stop.Body()) {
	case "end_turn", "stop_sequence":
		return events.Sign{Outcome: events.OutcomeOK}
	case "max_tokens", "refusal", "model_context_window_exceeded":
		return events.Sign{Outcome: events.OutcomeError, Cause: cause.Of(0, "", p.Strings.Intern(r.Message.Stop))}
	}
	if r.Message.Stop.Kind != scan.KindString && (last.Kind == events.KindText || last.Kind == events.KindUsage && p.endsWithText(r)) {
		return events.Sign{Outcome: events.OutcomeOK, Weak: true}
	}
	return events.Sign{}
}

// endsWithText reports whether the last block of a message is a text.
func (p *Parser) endsWithText(r *sdkstream.Envelope) bool {
	if n := len(r.Message.Blocks); n > 0 {
		return r.Message.Blocks[n-1].Kind.Is("text")
	}
	return r.Message.Text.Kind == scan.KindString
}

// attachment takes what the program added to the conversation: of that only the limit of turns is an event.
func (p *Parser) attachment(r *sdkstream.Envelope) events.LineStatus {
	p.Members(r.Rest.Get("attachment"))
	if !p.Nested.Get("type").Is("max_turns_reached") {
		return events.LineIgnored
	}
	p.Notice(events.LevelError, noticeMaxTurns, "maximum number of turns reached")
	p.Out[len(p.Out)-1].Sign = events.Sign{Outcome: events.OutcomeError, Cause: events.CauseMaxTurns}
	return events.LineOK
}
