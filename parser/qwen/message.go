package qwen

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/cause"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// apiError begins the text that the program writes in place of the model after an API failure. Nothing else in a
// stream shows the failure: the result says success.
const apiError = "[API Error:"

// assistant emits the blocks of a model message. In a transcript, the telemetry line before it has the ID of the API's
// response.
func (p *Parser) assistant(r *sdkstream.Envelope) {
	p.session.start(r)
	before := len(p.Out)
	switch {
	case r.Transcript && p.Head.AgentID != "":
		p.Head.MessageID = p.helperMessage(r)
	case r.Transcript:
		p.Head.MessageID, p.Head.Answer = p.reports.telemetry.take(p.Head.ItemID)
	default:
		p.Head.MessageID = p.responses.of(p.Head.ParentID, p.Head.MessageID)
	}
	if r.Message.Text.Kind == scan.KindString {
		p.text(r.Message.Text)
	}
	for i := range r.Message.Blocks {
		b := &r.Message.Blocks[i]
		switch kind := string(b.Kind.Body()); {
		case b.Call || kind == "tool_use":
			p.calls.toolUse(r, b)
		case b.Response || kind == "tool_result":
			p.calls.toolResult(r, b)
		case b.Thought || kind == "thinking":
			p.reasoning(b.Text)
		case kind == "text" || kind == "" && b.Text.Kind == scan.KindString:
			p.text(b.Text)
		}
	}
	if r.Transcript {
		p.ledger.usageMetadata(r.Rest.Get("usageMetadata"))
	} else {
		p.ledger.callUsage(r.Message.Usage)
	}
	if r.Transcript && len(p.Out) > before {
		p.Out[len(p.Out)-1].Sign = p.sign(r)
	}
}

// sign returns what a message of a transcript shows about the end of its run: a message that ends with a text and makes
// no call is the last one.
func (p *Parser) sign(r *sdkstream.Envelope) events.Sign {
	last := ""
	for i := range r.Message.Blocks {
		b := &r.Message.Blocks[i]
		if b.Call || b.Response {
			return events.Sign{}
		}
		if !b.Thought && b.Text.Kind == scan.KindString {
			last = p.Strings.Text(b.Text)
		}
	}
	switch {
	case lines.Blank(last):
		return events.Sign{}
	case strings.HasPrefix(last, apiError):
		return events.Sign{Outcome: events.OutcomeError, Cause: cause.Of(0, last)}
	default:
		return events.Sign{Outcome: events.OutcomeOK}
	}
}

// responses maps the call of each agent to the ID of the first line of its unfinished response.
type responses map[string]string

// maxResponses limits the agents whose responses are tracked; only a few run at once.
const maxResponses = 256

// of returns the ID of the response that a line belongs to. The lines of one response are consecutive, each with its own
// ID; the last one has the usage. Responses of sub-agents have none and end with their results.
func (r *responses) of(agent, line string) string {
	if first := (*r)[agent]; first != "" {
		return first
	}
	if *r == nil || len(*r) >= maxResponses {
		*r = responses{}
	}
	(*r)[agent] = line
	return line
}

// end ends the response of an agent: the next line begins another one.
func (r responses) end(agent string) { delete(r, agent) }

func (p *Parser) text(v scan.Value) {
	text := p.Strings.Text(v)
	if lines.Blank(text) {
		return
	}
	e := p.Emit(events.KindText)
	e.Text = text
	e.Synthetic = strings.HasPrefix(text, apiError)
	p.deltas.pending.Complete(e.ParentID, false, text)
	if e.ParentID == "" {
		p.session.lastText = text
	}
}

func (p *Parser) reasoning(v scan.Value) {
	text := p.Strings.Text(v)
	if lines.Blank(text) {
		return
	}
	e := p.Emit(events.KindReasoning)
	e.Text = text
	p.deltas.pending.Complete(e.ParentID, true, text)
}

// user emits the results and the prompts of a user line. In a stream its text is the prompt of a sub-agent, or a
// notification; what the user typed is only in the transcript.
func (p *Parser) user(r *sdkstream.Envelope) {
	p.session.start(r)
	p.responses.end(p.Head.ParentID)
	if r.Message.Text.Kind == scan.KindString {
		p.prompt(r, r.Message.Text)
	}
	for i := range r.Message.Blocks {
		b := &r.Message.Blocks[i]
		switch {
		case b.Response || b.Kind.Is("tool_result"):
			p.calls.toolResult(r, b)
		case b.Text.Kind == scan.KindString && !b.Thought:
			p.prompt(r, b.Text)
		}
	}
}

// syntheticSubtype reports whether a user line of that subtype begins no turn: either the program speaks in the user's name,
// since 0.2x, or the user speaks during a turn (qwen-code 0.24.4, transcript-records.ts).
func syntheticSubtype(subtype []byte) bool {
	switch string(subtype) {
	case "notification", "cron", "goal_runtime", "mid_turn_user_message":
		return true
	}
	return false
}

func (p *Parser) prompt(r *sdkstream.Envelope, v scan.Value) {
	text := p.Strings.Text(v)
	if lines.Blank(text) {
		return
	}
	e := p.Emit(events.KindPrompt)
	e.Text = text
	e.Synthetic = r.Rest.Get("externalInputKind").Is("notification") || r.Rest.Get("provenance").Is("system") || syntheticSubtype(r.Subtype.Body())
	if e.Synthetic && r.Transcript {
		p.session.taskNotice(text)
	}
}
