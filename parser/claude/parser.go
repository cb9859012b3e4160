package claude

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/decode"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// Name is the provider's name in settings and on the command line.
const Name = "claude"

// Parser parses one stream or transcript. The package document lists what it remembers.
type Parser struct {
	line
	record sdkstream.Envelope

	texts      texts
	calls      calls
	answers    answers
	usage      ledger
	tasks      tasks
	sidechains sidechains
	session    session
	deltas     deltas
}

// line is what the parts of a parser share: the memory of the current line.
type line struct {
	decode.Decoder
	messageID string // of the previous line
}

// New returns a parser for one stream.
func New() *Parser {
	p := &Parser{line: line{Decoder: decode.New()}}
	l := &p.line
	p.texts = texts{line: l, deltas: &p.deltas, seen: memory.NewTable[struct{}](maxSeen)}
	p.calls = calls{line: l, answers: &p.answers, sidechains: &p.sidechains, byID: memory.NewTable[call](maxCalls)}
	p.answers = answers{
		line: l, texts: &p.texts, calls: &p.calls, usage: &p.usage,
		known: memory.NewTable[answer](maxMessages), threads: memory.NewTable[turns](maxThreads),
	}
	p.usage = ledger{line: l, counted: memory.NewTable[counted](maxMessages)}
	p.tasks = tasks{
		line: l, texts: &p.texts, session: &p.session, byTask: memory.NewTable[taskCalls](maxTasks), askers: memory.NewTable[string](maxTasks),
	}
	p.sidechains = sidechains{line: l, ofLine: memory.NewTable[string](maxSidechainLines), prompts: memory.NewTable[[]string](maxTasks)}
	p.session = session{line: l, usage: &p.usage, tasks: &p.tasks}
	p.deltas = deltas{line: l, answers: &p.answers, usage: &p.usage}
	p.Identify = func() { p.identify(&p.record) }
	return p
}

// Parse parses one line. A line may hold several objects, without a newline between them, or an array of objects; each is
// treated as a separate line.
func (p *Parser) Parse(line []byte) decode.Result {
	p.Begin()
	lines.Objects(&p.Scanner, &p.Verdict, line, trim, p.readObject)
	return p.Result()
}

func (p *Parser) readObject() {
	if p.record.Read(&p.Scanner) {
		p.dispatch(&p.record)
	}
}

// Flush returns the texts whose deltas were never completed, each joined.
func (p *Parser) Flush() decode.Result {
	p.Out = p.deltas.pending.Flush(p.Out[:0])
	return decode.Result{Events: p.Out}
}

// State returns what the stream keeps between lines. It is incomplete if something has begun and its result
// line is missing. Transcripts have no result.
func (p *Parser) State() decode.State {
	return decode.State{Pending: p.deltas.pending.Any(), Incomplete: p.session.turn.open, Dropped: p.deltas.pending.Dropped}
}

// dispatch converts one whole record to events.
func (p *Parser) dispatch(r *sdkstream.Envelope) {
	p.NextObject()
	p.texts.fresh = p.texts.fresh[:0]
	kind := r.Kind.Body()
	switch string(kind) {
	case "assistant", "user", "result", "stream_event", "system":
		if r.UUID.Kind == scan.KindString && !p.texts.seen.Add(p.lineKey(r)) {
			p.Verdict.Note(events.LineIgnored)
			return
		}
	}
	if r.Transcript && (string(kind) == "assistant" || string(kind) == "user") {
		// Also call it for records without events: the lines of a sidechain depend on each other.
		p.Identified()
	}
	status := events.LineOK
	switch string(kind) {
	case "assistant":
		p.session.turn.open = p.session.turn.open || !r.Transcript && r.Parent.Kind != scan.KindString // a background agent may outlive the run
		p.assistant(r)
	case "user":
		p.user(r)
	case "result":
		p.session.result(r)
	case "stream_event":
		p.deltas.streamEvent(r)
	case "system":
		status = p.session.system(r)
	case "tool_progress":
		p.tasks.toolProgress(r)
	case "rate_limit_event":
		p.session.rateLimit(r)
	case "cost-state":
		p.usage.costState(r)
	case "attachment":
		status = p.session.attachment(r)
	case "queue-operation":
		status = p.tasks.queue(r)
	default:
		status = p.other(kind)
	}
	p.Verdict.Note(status)
}

// other distinguishes bookkeeping from types that a later version introduced. Neither yields events.
func (p *Parser) other(kind []byte) events.LineStatus {
	if bookkeeping(kind) {
		return events.LineIgnored
	}
	return p.Unknown("", kind)
}

// identify sets the head of a record's events.
func (p *Parser) identify(r *sdkstream.Envelope) {
	h := &p.Head
	h.Time = lines.Moment(r.Timestamp.Time())
	h.SessionID, h.ItemID = p.Strings.Intern(r.Session), p.Strings.Text(r.UUID)
	h.AgentID, h.ParentID = p.Strings.Intern(r.Agent), p.tasks.asker(p.Strings.Intern(r.Parent))
	h.TurnID, h.Copied = "", false
	if r.Transcript {
		h.TurnID = p.Strings.Intern(r.PromptID)
		// A fork begins with its parent's lines under its own session ID; what the model said keeps the session ID of its request.
		asked := r.RequestSession.Body()
		h.Copied = len(asked) > 0 && string(asked) != h.SessionID
		p.usage.forked = p.usage.forked || h.Copied && len(p.usage.costs) == 0
		if h.ParentID == "" {
			h.ParentID = p.sidechains.sidechain(r)
		}
	}
	h.MessageID, h.Answer = "", 0
	if r.Message.ID.Kind == scan.KindString {
		h.MessageID = p.sticky(r.Message.ID)
	}
	h.Model, h.Synthetic = p.Strings.Intern(r.Message.Model), false
	if h.Model == syntheticModel {
		h.Model, h.Synthetic = "", true
	}
}

// sticky returns a message's ID, which repeats from line to line, without allocating it again.
func (l *line) sticky(id scan.Value) string {
	if string(id.Body()) != l.messageID {
		l.messageID = l.Strings.Text(id)
	}
	return l.messageID
}

// trim removes what can precede a line's object without being part of it: what precedes it in other formats
// too, a record separator, and the escape sequences that a program sends if it assumes a terminal.
func trim(line []byte) []byte {
	line = lines.Trim(line)
	for len(line) > 0 && (line[0] < ' ' || line[0] >= 0xc2) {
		// A sequence is short; its payload, such as a window title, is a little longer.
		n := events.EscapeLen(string(line[:min(len(line), maxEscapeBytes)]))
		if n == 0 {
			break
		}
		line = lines.Trim(line[n:])
	}
	return line
}

const maxEscapeBytes = 1 << 10

// callBody returns the key of the name and arguments of a call.
func (l *line) callBody(b *sdkstream.Block) uint64 {
	return l.Keys.With(l.Keys.String(domainBody, l.toolName(b.Name)), b.Input.Raw)
}

// toolName returns the name as written, without control sequences.
func (l *line) toolName(v scan.Value) string {
	name := l.Strings.Intern(v)
	return events.CleanLine(name, 0)
}
