package qwen

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Name is the provider's name in settings and on the command line.
const Name = "qwen"

// Limits of what a parser remembers, in entries. The oldest is evicted first; then a repeat of it is taken for new.
const (
	maxSeen      = 1 << 16 // lines and API responses, to leave out repeats
	maxCalls     = 1 << 14 // tool calls, to pair them with results
	maxDurations = 1 << 12 // how long calls took, until their result comes
)

// keepEvents is the number of events from which their memory is not kept for the next line.
const keepEvents = 1 << 10

// Parser reads one stream or transcript. It implements events.DisplayEventSource, events.LineStatuser,
// events.Flusher and events.OutputDropper; see the package doc for what it remembers.
type Parser struct {
	scanner scan.Scanner // over the line
	inner   scan.Scanner // over values in it that were kept whole
	record  record
	strings scan.Strings
	keys    memory.Keys

	out     []events.DisplayEvent
	output  lines.Output // of results
	nested  scan.Members
	verdict lines.Verdict
	head    lines.Head // the identity that all events of a record share

	seen      memory.Memory[struct{}]
	calls     memory.Memory[call]
	durations memory.Memory[outcome]

	deltas    deltas
	telemetry telemetry
	answers   memory.Memory[int] // how many responses had an id
	responses responses
	model     string // the first one; totals are reported under it
	lastText  string // of the main thread
	started   string // the session that a SessionStarted was made for
	open      bool   // a stream that lacks the result of what it began
}

// New returns a parser for one stream.
func New() *Parser {
	return &Parser{
		keys:      memory.NewKeys(),
		seen:      memory.New[struct{}](maxSeen),
		calls:     memory.New[call](maxCalls),
		durations: memory.New[outcome](maxDurations),
		answers:   memory.New[int](maxSeen),
	}
}

// ParseEvents takes one line. A line may hold several objects, one behind the other without a newline between them, or
// the array of all of them that --output-format json prints.
func (p *Parser) ParseEvents(line []byte) []events.DisplayEvent {
	if cap(p.out) > keepEvents {
		p.out = nil
	}
	p.output.Reset()
	p.out, p.verdict = p.out[:0], lines.Verdict{Status: events.LineIgnored}
	for line = lines.Trim(line); len(line) > 0; line = lines.Trim(line) {
		p.scanner.Reset(line)
		switch p.scanner.Peek() {
		case scan.KindObject:
			p.object()
		case scan.KindArray:
			p.array()
		default:
			p.verdict.Note(events.LineMalformed)
			return p.out
		}
		if p.scanner.Err() != nil {
			p.verdict.Note(events.LineMalformed)
			return p.out
		}
		line = p.scanner.Rest()
	}
	return p.out
}

func (p *Parser) object() {
	if p.record.read(&p.scanner) {
		p.dispatch(&p.record)
	}
}

func (p *Parser) array() {
	objects, others := 0, 0
	for p.scanner.Array(); p.scanner.Element(); {
		if p.scanner.Peek() == scan.KindObject {
			objects++
			p.object()
		} else {
			others++
			p.scanner.Skip()
		}
	}
	if objects == 0 || others > 0 {
		p.verdict.Note(events.LineMalformed)
	}
}

// DropOutput drops the texts of results from now on, see [events.OutputDropper].
func (p *Parser) DropOutput() { p.output.Drop() }

// LineStatus is the status of the last line. Of several objects on one line the most informative counts: malformed,
// then understood, then unknown.
func (p *Parser) LineStatus() events.LineStatus { return p.verdict.Status }

// UnknownType names the type that made the last line's status LineUnknownType, such as "system/new_thing".
func (p *Parser) UnknownType() string { return p.verdict.Unknown }

// Incomplete reports whether the stream began something whose result line has not come. Transcripts have no result.
func (p *Parser) Incomplete() bool { return p.open }

// Dropped counts the texts in deltas that were evicted because too many were pending.
func (p *Parser) Dropped() int { return p.deltas.pending.Dropped }

// dispatch turns one whole record into events.
func (p *Parser) dispatch(r *record) {
	kind := r.kind.Body()
	switch string(kind) {
	case "assistant", "user", "tool_result", "result", "stream_event", "system":
		if p.repeats(r) {
			return
		}
		p.identify(r)
	}
	switch string(kind) {
	case "assistant":
		p.open = p.open || !r.camel
		p.assistant(r)
	case "user":
		p.user(r)
	case "tool_result":
		p.toolResults(r)
	case "result":
		p.result(r)
	case "stream_event":
		p.streamEvent(r)
	case "system":
		p.system(r)
		return
	case "control_request", "control_response", "control_cancel_request":
		return
	default:
		p.verdict.NoteUnknown(lines.TypeName("", kind))
		return
	}
	p.verdict.Note(events.LineOK)
}

// repeats reports whether a line with this uuid came before. An init line has the uuid of its session, and comes once a
// turn where prompts come by standard input.
func (p *Parser) repeats(r *record) bool {
	id := r.uuid.Body()
	if len(id) == 0 || string(id) == string(r.session.Body()) {
		return false
	}
	return !p.seen.Add(p.keys.ID(domainLine, id))
}

// emit adds an event with the identity of the record that is being read. The pointer is good until the next emit.
func (p *Parser) emit(kind events.Kind) *events.DisplayEvent {
	p.out = p.head.Append(p.out, kind)
	return &p.out[len(p.out)-1]
}

// identify fills the head of a record's events.
func (p *Parser) identify(r *record) {
	h := &p.head
	h.Time = lines.Moment(r.timestamp.Time())
	h.SessionID, h.ItemID, h.ParentID = p.strings.Intern(r.session), p.strings.Text(r.uuid), p.strings.Intern(r.parent)
	h.Answer = 0
	h.AgentID = p.strings.Intern(r.rest.Get("agentId"))
	h.Model, h.MessageID = p.strings.Intern(r.model), p.strings.Text(r.messageID)
	if p.model == "" && r.kind.Is("assistant") {
		p.model = p.head.Model
	}
}

// The domains of hashes, so that ids of different things never meet.
const (
	domainLine byte = iota
	domainCall
	domainBody
	domainResponse
	domainHelper // sub-agents whose own transcript has their tokens
)
