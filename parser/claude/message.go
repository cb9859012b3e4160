package claude

import (
	"bytes"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/cause"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// syntheticModel is the model of messages that the program wrote in place of the model.
const syntheticModel = "<synthetic>"

// texts tracks the texts and the reasoning of the model, so that each is emitted once.
type texts struct {
	*line
	deltas *deltas
	seen   memory.Table[struct{}] // lines, texts and notices
	fresh  []uint64               // added to seen by this record
}

// assistant emits the blocks of a model message, then what the line adds to the message's tokens.
func (p *Parser) assistant(r *sdkstream.Envelope) {
	p.session.start(r)
	nth := p.answers.answerOf(r)
	p.Identified()
	p.Head.Answer = nth
	before := len(p.Out)
	if r.Parent.Kind != scan.KindString && r.Message.Model.Kind == scan.KindString && !r.Message.Model.Is(syntheticModel) {
		p.usage.model = p.Strings.Intern(r.Message.Model)
	}
	if r.Message.Text.Kind == scan.KindString {
		p.texts.text(r, r.Message.Text)
	}
	for i := range r.Message.Blocks {
		p.assistantBlock(r, &r.Message.Blocks[i])
	}
	// A stream shows a message's blocks before its usage is complete; a transcript has the usage known when it was written.
	final := r.Transcript || r.Message.Stop.Kind == scan.KindString
	if r.Message.Usage.Kind == scan.KindObject && !p.usage.repeatsUsage(r, final) {
		w := p.usage.readUsage(r.Message.Usage)
		u := p.usage.callUsage(r.Message.ID, nth, w, final)
		p.usage.advisorUsage(r.Message.ID, nth, w)
		if u != nil {
			if cost := r.Rest.Get("costUSD"); cost.Kind == scan.KindNumber { // 1.0.3, one line per message
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
		p.texts.text(r, b.Text)
	case "thinking":
		p.texts.reasoning(r, b.Text)
	case "tool_use", "server_tool_use", "mcp_tool_use":
		p.calls.toolUse(r, b)
	default:
		// web_search_tool_result and similar blocks answer server_tool_use blocks within the model's own message.
		if bytes.HasSuffix(kind, []byte("_tool_result")) {
			p.calls.toolResult(r, b)
		}
	}
}

func (t *texts) text(r *sdkstream.Envelope, v scan.Value) {
	if t.said(r, domainText, v) {
		return
	}
	text := t.Strings.Text(v)
	if lines.Blank(text) {
		return
	}
	e := t.Emit(events.KindText)
	e.Text = text
	t.deltas.complete(e.MessageID, false, text)
}

func (t *texts) reasoning(r *sdkstream.Envelope, v scan.Value) {
	if t.said(r, domainText, v) {
		return
	}
	text := t.Strings.Text(v)
	if lines.Blank(text) { // only a signature, on newer models
		return
	}
	e := t.Emit(events.KindReasoning)
	e.Text = text
	t.deltas.complete(e.MessageID, true, text)
}

// said reports whether an earlier line had the same text under the same message ID; otherwise it remembers the text.
// Two equal blocks of one line are two texts, and so are blocks that a transcript numbers differently.
func (t *texts) said(r *sdkstream.Envelope, domain byte, text scan.Value) bool {
	if r.Message.ID.Kind != scan.KindString || text.Kind != scan.KindString {
		return false
	}
	key := t.saidKey(r, domain, text, t.Head.Answer)
	if t.seen.Add(key) {
		t.fresh = append(t.fresh, key)
		return false
	}
	for _, k := range t.fresh {
		if k == key {
			return false
		}
	}
	return true
}

// saidKey returns the key of a text of an answer.
func (l *line) saidKey(r *sdkstream.Envelope, domain byte, text scan.Value, nth int) uint64 {
	const odd = 0xd6e8feb86659fd93
	key := l.Keys.Pair(domain, r.Message.ID.Body(), text.Body()) ^ uint64(nth)*odd // still escaped: one writer repeats them identically
	if index := r.Rest.Get("apiBlockIndex"); index.Kind == scan.KindNumber {
		key ^= l.Keys.Bytes(domain, index.Raw)
	}
	return key
}

// user emits the results and the prompts of a user line.
func (p *Parser) user(r *sdkstream.Envelope) {
	p.session.start(r)
	if r.Message.Text.Kind == scan.KindString {
		p.prompt(r, r.Message.Text)
	}
	for i := range r.Message.Blocks {
		b := &r.Message.Blocks[i]
		switch kind := b.Kind.Body(); {
		case string(kind) == "text":
			p.prompt(r, b.Text)
		case bytes.HasSuffix(kind, []byte("tool_result")):
			p.calls.toolResult(r, b)
		}
	}
}

// interruption begins the text of an interrupted run; nothing else marks one in the stream.
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
		p.session.interrupted = p.session.interrupted || e.ParentID == ""
		return
	}
	e := p.Emit(events.KindPrompt)
	e.Text = text
	if e.Synthetic = p.isSynthetic(r) || isEnvelope(text); !e.Synthetic {
		p.answers.turnsOf(r).prompts++
	}
	if strings.HasPrefix(text, taskNotification) && p.texts.seen.Add(p.Keys.Bytes(domainNotice, v.Body())) {
		p.tasks.taskNotice(text) // otherwise it was reported when it was queued
	}
}

// isSynthetic reports whether a line marks its text as written by the program. What the parent agent asks a sub-agent is a
// prompt to the sub-agent, like its first one.
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

// origin returns the author of the text according to the line.
func (l *line) origin(r *sdkstream.Envelope) scan.Value {
	origin := r.Rest.Get("origin")
	if origin.Kind != scan.KindObject {
		return scan.Value{}
	}
	l.Members(origin)
	return l.Nested.Get("kind")
}

// envelopes are the beginnings of texts that the program wraps and sends in the user's name.
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

// sign returns what an assistant line shows about the end of its run; last is the last event of the line. The
// stop reason is null in most lines of 1.0.128 to 2.1.30, so that any text may be the last one.
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
		return events.Sign{} // a stream has its own line for the end
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
