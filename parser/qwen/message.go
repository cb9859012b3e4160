package qwen

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/cause"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// apiError is how the text begins that the program says in the model's place when the API failed. Nothing else in a
// stream shows it: the result says success.
const apiError = "[API Error:"

// assistant gives the blocks of a model message. In a transcript the id of the API's response is that of the telemetry
// line before it.
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

// sign is what a message of a transcript shows of the end of its run: one that ends with a text and makes no call is the
// last word.
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

// responses are the responses that a stream is in the middle of: the id of each one's first line, by the call of the agent.
type responses map[string]string

// maxResponses bounds the agents whose responses are kept apart; those that a stream has at work at once are few.
const maxResponses = 256

// of is the id of the response that a line belongs to. The lines of one response follow each other, each with an id of its
// own; the last one has the usage, but for sub-agents, whose responses end with their results.
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

// end releases the response of an agent: what comes is of the next one.
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

// user gives the results and the prompts of a user line. In a stream its text is the prompt of a sub-agent, or a
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

// syntheticSubtype reports whether a user line of that subtype begins no turn: the program speaks in the user's name, since 0.2x,
// or the user does in the middle of a turn (qwen-code 0.24.4, transcript-records.ts).
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
