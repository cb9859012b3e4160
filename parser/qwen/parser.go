package qwen

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/decode"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// Name is the provider's name in settings and on the command line.
const Name = "qwen"

// Limits of what a parser remembers, in entries. The oldest is evicted first; a later repetition of it then counts as new.
const (
	maxSeen      = 1 << 16 // lines and API responses, to omit repetitions
	maxCalls     = 1 << 14 // tool calls, to pair them with results
	maxDurations = 1 << 12 // durations of calls, until their result comes
)

// Parser parses one stream or transcript. The package document lists what it remembers.
type Parser struct {
	line
	record sdkstream.Envelope

	session session
	calls   calls
	reports reports
	ledger  ledger
	deltas  deltas
}

// line is what the parts of a parser share: the memory of the current line.
type line struct {
	decode.Decoder
	seen      memory.Table[struct{}]
	responses responses
}

// New returns a parser for one stream.
func New() *Parser {
	p := &Parser{line: line{Decoder: decode.New(), seen: memory.NewTable[struct{}](maxSeen)}}
	l := &p.line
	p.calls = calls{
		line: l, session: &p.session, reports: &p.reports,
		byID: memory.NewTable[call](maxCalls), durations: memory.NewTable[outcome](maxDurations),
	}
	p.reports = reports{line: l, calls: &p.calls, answers: memory.NewTable[int](maxSeen)}
	p.ledger = ledger{line: l, session: &p.session, reports: &p.reports}
	p.session = session{line: l, ledger: &p.ledger, reports: &p.reports}
	p.deltas = deltas{line: l, calls: &p.calls, session: &p.session}
	return p
}

// Parse parses one line. A line may hold several objects without a newline between them, or the array of all objects that
// --output-format json prints.
func (p *Parser) Parse(line []byte) decode.Result {
	p.Begin()
	p.Objects(line, p.readObject)
	return p.Result()
}

func (p *Parser) readObject() {
	if p.record.Read(&p.Scanner) {
		p.dispatch(&p.record)
	}
}

// State returns what the stream keeps between lines. It is incomplete if something has begun and its result
// line is missing. Transcripts have no result.
func (p *Parser) State() decode.State {
	return decode.State{Pending: p.deltas.pending.Any(), Incomplete: p.session.open, Dropped: p.deltas.pending.Dropped}
}

// dispatch converts one whole record to events.
func (p *Parser) dispatch(r *sdkstream.Envelope) {
	kind := r.Kind.Body()
	switch string(kind) {
	case "assistant", "user", "tool_result", "result", "stream_event", "system":
		if p.repeats(r) {
			return
		}
		p.identify(r)
	}
	switch string(kind) {
	case "assistant":
		p.session.open = p.session.open || !r.Transcript
		p.assistant(r)
	case "user":
		p.user(r)
	case "tool_result":
		p.calls.toolResults(r)
	case "result":
		p.session.result(r)
	case "stream_event":
		p.deltas.streamEvent(r)
	case "system":
		p.Verdict.Note(p.session.system(r))
		return
	case "control_request", "control_response", "control_cancel_request":
		return
	default:
		p.Verdict.Note(p.Unknown("", kind))
		return
	}
	p.Verdict.Note(events.LineOK)
}

// repeats reports whether a line with this uuid came before. An init line has the uuid of its session and repeats with
// each turn if prompts arrive on standard input.
func (p *Parser) repeats(r *sdkstream.Envelope) bool {
	id := r.UUID.Body()
	if len(id) == 0 || string(id) == string(r.Session.Body()) {
		return false
	}
	return !p.seen.Add(p.Keys.ID(domainLine, id))
}

// identify sets the head of a record's events.
func (p *Parser) identify(r *sdkstream.Envelope) {
	h := &p.Head
	h.Time = lines.Moment(r.Timestamp.Time())
	h.SessionID, h.ItemID, h.ParentID = p.Strings.Intern(r.Session), p.Strings.Text(r.UUID), p.Strings.Intern(r.Parent)
	h.Answer = 0
	h.AgentID = p.Strings.Intern(r.Agent)
	h.MessageID = p.Strings.Text(r.Message.ID)
	if h.Model = p.Strings.Intern(r.Message.Model); h.Model == "" {
		h.Model = p.Strings.Intern(r.Rest.Get("model"))
	}
	if p.session.model == "" && r.Kind.Is("assistant") {
		p.session.model = p.Head.Model
	}
}

// The domains of hashes, so that IDs of different things never collide.
const (
	domainLine byte = iota
	domainCall
	domainBody
	domainResponse
	domainHelper // sub-agents whose own transcript has their tokens
)
