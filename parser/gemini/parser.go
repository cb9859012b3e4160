package gemini

import (
	"bytes"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Name is the provider's name in settings and on the command line.
const Name = "gemini"

// Limits of what a parser remembers, in entries.
const (
	maxMessages = 1 << 14 // messages of a transcript, to give each text once and its tokens once
	maxCalls    = 1 << 14 // tool calls, to pair them with results
)

// Parser reads one stream, transcript or document. It implements events.DisplayEventSource and events.LineStatuser; see
// the package doc for what it remembers.
type Parser struct {
	scanner scan.Scanner // over the line
	inner   scan.Scanner // over the messages of a document
	leaf    scan.Scanner // over small values that were kept whole
	record  record       // of the line
	within  record       // of a message in a document
	strings scan.Strings
	keys    memory.Keys

	out     []events.DisplayEvent
	output  lines.Output // backs Tool.Output
	scratch []byte       // texts that nobody keeps
	nested  scan.Members // members of a nested object
	verdict lines.Verdict

	// head holds the identity that the events of a record share.
	head lines.Head

	messages memory.Memory[message]
	calls    memory.Memory[call]
	callID   lines.Again
	itemID   lines.Again // a message is on a line for each of its states
	entries  memory.Memory[entry]

	session  string // the last one that a line had
	agent    string // the sub-agent whose transcript this is
	started  string // the session that a SessionStarted was made for
	snapshot uint64 // the last compaction's summary, by its hash
	copying  bool   // the lines at hand repeat history
	modelled bool   // the model has said something since the header
	last     lastMessage

	stream stream
}

// New returns a parser for one stream.
func New() *Parser {
	return &Parser{
		keys:     memory.NewKeys(),
		messages: memory.New[message](maxMessages),
		calls:    memory.New[call](maxCalls),
		entries:  memory.New[entry](maxCalls),
	}
}

// ParseEvents takes one line, or one document. It may hold several objects, one behind the other without a newline
// between them, or an array of objects; each is treated as a line of its own.
func (p *Parser) ParseEvents(line []byte) []events.DisplayEvent {
	p.output.Reset()
	p.scratch = lines.Buffer(p.scratch)
	p.out, p.verdict = lines.Events(p.out), lines.Verdict{Status: events.LineIgnored}
	lines.Objects(&p.scanner, &p.verdict, line, p.readObject)
	return p.out
}

// DropOutput drops the texts of results from now on, see [events.OutputDropper].
func (p *Parser) DropOutput() { p.output.Drop() }

func (p *Parser) readObject() {
	if p.record.read(&p.scanner) {
		p.verdict.Note(p.dispatch(&p.record))
	}
}

// LineStatus is the status of the last line. Of several objects on one line the most informative counts: malformed,
// then understood, then unknown.
func (p *Parser) LineStatus() events.LineStatus { return p.verdict.Status }

// Incomplete reports whether the stream began something whose result line has not come. Transcripts have no result.
func (p *Parser) Incomplete() bool { return p.stream.open }

// UnknownType names the type that made the last line's status LineUnknownType, such as "message/new_thing".
func (p *Parser) UnknownType() string { return p.verdict.Unknown }

// dispatch turns one whole record into events. Transcripts have no common type: the keys decide.
func (p *Parser) dispatch(r *record) events.LineStatus {
	switch {
	case r.set.value.Exists():
		return p.patch(r)
	case r.rewind.Kind == scan.KindString:
		p.rewind(r)
		return events.LineOK
	case r.id.Kind == scan.KindString:
		return p.message(r)
	case r.sessionID.Kind == scan.KindString && (r.projectHash.Kind == scan.KindString || r.messages.Kind == scan.KindArray):
		p.conversation(r)
		return events.LineOK
	case r.kind.Kind == scan.KindString:
		return p.line(r)
	case r.response.Kind == scan.KindString || r.stats.Kind == scan.KindObject || r.failure.present:
		p.report(r)
		return events.LineOK
	default:
		return p.unknownType("", nil)
	}
}

// unknownType takes note of a type that is not known.
func (p *Parser) unknownType(prefix string, kind []byte) events.LineStatus {
	if p.verdict.Unknown == "" {
		p.verdict.Unknown = lines.TypeName(prefix, kind)
	}
	return events.LineUnknownType
}

// emit adds an event with the identity in head. The pointer is good until the next emit.
func (p *Parser) emit(kind events.Kind) *events.DisplayEvent {
	return lines.Emit(&p.out, &p.head, kind)
}

// notice adds a Notice.
func (p *Parser) notice(level events.Level, code, text string) *events.DisplayEvent {
	e := p.emit(events.KindNotice)
	e.Notice = events.Notice{Level: level, Code: code}
	e.Text = text
	return e
}

// begin makes the head of a record's events, from its time and the session of earlier lines.
func (p *Parser) begin(timestamp scan.Value) {
	p.head = lines.Head{Time: timeOf(timestamp), SessionID: p.session, AgentID: p.agent}
}

// timeOf reads a time; a writer's zero is none.
func timeOf(v scan.Value) time.Time { return lines.Moment(v.Time()) }

// blank reports whether text is white space alone.
func blank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }
