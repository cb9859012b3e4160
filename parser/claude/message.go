package claude

import (
	"bytes"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// syntheticModel is the model of messages that the program wrote in the model's place.
const syntheticModel = "<synthetic>"

// assistant gives the blocks of a model message, then what the line adds to the message's tokens.
func (p *Parser) assistant(r *sdkstream.Envelope) {
	p.start(r)
	nth := p.answerOf(r)
	p.Identified()
	p.Head.Answer = nth
	before := len(p.Out)
	if r.Parent.Kind != scan.KindString && r.Message.Model.Kind == scan.KindString && !r.Message.Model.Is(syntheticModel) {
		p.model = p.Strings.Intern(r.Message.Model)
	}
	if r.Message.Text.Kind == scan.KindString {
		p.text(r, r.Message.Text)
	}
	for i := range r.Message.Blocks {
		p.assistantBlock(r, &r.Message.Blocks[i])
	}
	// A stream shows a message's blocks before its usage is complete; a transcript has what was known when it was written.
	final := r.Transcript || r.Message.Stop.Kind == scan.KindString
	if r.Message.Usage.Kind == scan.KindObject && !p.repeatsUsage(r, final) {
		w := p.readUsage(r.Message.Usage)
		u := p.callUsage(r.Message.ID, nth, w, final)
		p.advisorUsage(r.Message.ID, nth, w)
		if u != nil {
			if cost := r.Rest.Get("costUSD"); cost.Kind == scan.KindNumber { // 1.0.3, one line a message
				u.CostUSD, u.HasCost = cost.Float(), true
			}
		}
	}
	if len(p.Out) > before {
		last := &p.Out[len(p.Out)-1]
		last.Sign = p.sign(r, last)
	}
}

func (p *Parser) assistantBlock(r *sdkstream.Envelope, b *sdkstream.Block) {
	kind := b.Kind.Body()
	switch string(kind) {
	case "text":
		p.text(r, b.Text)
	case "thinking":
		p.reasoning(r, b.Text)
	case "tool_use", "server_tool_use", "mcp_tool_use":
		p.toolUse(r, b)
	default:
		// web_search_tool_result and its like answer server_tool_use blocks within the model's own message.
		if bytes.HasSuffix(kind, []byte("_tool_result")) {
			p.toolResult(r, b)
		}
	}
}

func (p *Parser) text(r *sdkstream.Envelope, v scan.Value) {
	if p.said(r, domainText, v) {
		return
	}
	text := p.Strings.Text(v)
	if lines.Blank(text) {
		return
	}
	e := p.Emit(events.KindText)
	e.Text = text
	p.deltas.complete(e.MessageID, false, text)
}

func (p *Parser) reasoning(r *sdkstream.Envelope, v scan.Value) {
	if p.said(r, domainText, v) {
		return
	}
	text := p.Strings.Text(v)
	if lines.Blank(text) { // a signature alone, on newer models
		return
	}
	e := p.Emit(events.KindReasoning)
	e.Text = text
	p.deltas.complete(e.MessageID, true, text)
}

// said reports whether an earlier line gave the same text under the same message id; it remembers the text otherwise.
// Two equal blocks of one line are two texts, and so are blocks that a transcript numbers differently.
func (p *Parser) said(r *sdkstream.Envelope, domain byte, text scan.Value) bool {
	if r.Message.ID.Kind != scan.KindString || text.Kind != scan.KindString {
		return false
	}
	key := p.saidKey(r, domain, text, p.Head.Answer)
	if p.seen.Add(key) {
		p.fresh = append(p.fresh, key)
		return false
	}
	for _, k := range p.fresh {
		if k == key {
			return false
		}
	}
	return true
}

// saidKey is the key of a text of an answer.
func (p *Parser) saidKey(r *sdkstream.Envelope, domain byte, text scan.Value, nth int) uint64 {
	const odd = 0xd6e8feb86659fd93
	key := p.Keys.Pair(domain, r.Message.ID.Body(), text.Body()) ^ uint64(nth)*odd // as they are encoded: repeats come from one writer
	if index := r.Rest.Get("apiBlockIndex"); index.Kind == scan.KindNumber {
		key ^= p.Keys.Bytes(domain, index.Raw)
	}
	return key
}

// user gives the results and the prompts of a user line.
func (p *Parser) user(r *sdkstream.Envelope) {
	p.start(r)
	if r.Message.Text.Kind == scan.KindString {
		p.prompt(r, r.Message.Text)
	}
	for i := range r.Message.Blocks {
		b := &r.Message.Blocks[i]
		switch kind := b.Kind.Body(); {
		case string(kind) == "text":
			p.prompt(r, b.Text)
		case bytes.HasSuffix(kind, []byte("tool_result")):
			p.toolResult(r, b)
		}
	}
}

// interruption is how the text of an interrupted run begins; nothing else marks it in the stream.
const interruption = "[Request interrupted by user"

func (p *Parser) prompt(r *sdkstream.Envelope, v scan.Value) {
	text := p.Strings.Text(v)
	if lines.Blank(text) {
		return
	}
	if strings.HasPrefix(text, interruption) {
		e := p.Emit(events.KindNotice)
		e.Text = text
		e.Notice = events.Notice{Level: events.LevelWarn, Code: events.NoticeInterrupted}
		e.Sign.Outcome = events.OutcomeInterrupted
		p.interrupted = p.interrupted || e.ParentID == ""
		return
	}
	e := p.Emit(events.KindPrompt)
	e.Text = text
	if e.Synthetic = p.isSynthetic(r) || isEnvelope(text); !e.Synthetic {
		p.turnsOf(r).prompts++
	}
	if strings.HasPrefix(text, taskNotification) && p.seen.Add(p.Keys.Bytes(domainNotice, v.Body())) {
		p.taskNotice(text) // else it was reported when it was put into the queue
	}
}

// isSynthetic reports whether a line marks its text as the program's own. What the agent that started a sub-agent asks it is
// a prompt to that, as its first one is.
func (p *Parser) isSynthetic(r *sdkstream.Envelope) bool {
	if r.Agent.Kind == scan.KindString && p.origin(r).Is("coordinator") {
		return false
	}
	for _, mark := range [...]string{"isSynthetic", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"} {
		if r.Rest.Get(mark).True() {
			return true
		}
	}
	kind := p.origin(r)
	return kind.Kind == scan.KindString && !kind.Is("human")
}

// origin is who a line says its text is of.
func (p *Parser) origin(r *sdkstream.Envelope) scan.Value {
	origin := r.Rest.Get("origin")
	if origin.Kind != scan.KindObject {
		return scan.Value{}
	}
	p.Members(origin)
	return p.Nested.Get("kind")
}

// envelopes are the beginnings of what the program wraps and sends in the user's name.
var envelopes = [...]string{
	"<command-name>", "<command-message>", "<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>", "Caveat: ",
	"<bash-input>", "<bash-stdout>", "<bash-stderr>", taskNotification, "<system-reminder>", "<teammate-message ",
}

func isEnvelope(text string) bool {
	for _, e := range envelopes {
		if strings.HasPrefix(text, e) {
			return true
		}
	}
	return false
}
