package opencode

import (
	"bytes"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Name is the provider's name in settings and on the command line.
const Name = "opencode"

// Parser reads one stream, dump, log, tree or document. It implements events.DisplayEventSource, events.LineStatuser
// and events.Flusher; see the package doc for what it remembers.
type Parser struct {
	scanner scan.Scanner // over the line
	inner   scan.Scanner // over a document in it: a column, a message of an export
	list    scan.Scanner // over the parts of an exported message
	small   scan.Scanner // over small values that were kept whole
	record  record
	info    messageInfo
	strings scan.Strings
	keys    memory.Keys

	out     []events.DisplayEvent
	output  lines.Output // backs Tool.Output
	columns []byte       // backs the texts of columns, and with them Tool.Input
	scratch []byte       // texts that nobody keeps
	nested  scan.Members // members of a small object
	args    scan.Members // properties of an event
	verdict lines.Verdict

	// head holds the identity that all events of a part or message share.
	head lines.Head

	parts    memory.Memory[call]
	openIDs  memory.Memory[uint64] // call id → the part that is open under it
	messages memory.Memory[message]
	sessions memory.Memory[session]
	tasks    memory.Memory[string] // title of the session that a task starts → id of the call
	deferred []deferred
	entered  string            // the session of the last part
	drafts   map[uint64]*draft // by message
	starts   []start

	stream    stream
	sessionID lines.Again
	messageID lines.Again
}

// New returns a parser for one stream.
func New() *Parser {
	return &Parser{
		keys:     memory.NewKeys(),
		parts:    memory.New[call](maxParts),
		openIDs:  memory.New[uint64](maxOpenCalls),
		messages: memory.New[message](maxMessages),
		sessions: memory.New[session](maxSessions),
		tasks:    memory.New[string](maxSessions),
	}
}

// ParseEvents takes one line, or one document. A line may hold several objects, one behind the other without a newline
// between them, or an array of objects; each is treated as a line of its own. Lines of a server's event stream may keep
// their "data:".
func (p *Parser) ParseEvents(line []byte) []events.DisplayEvent {
	p.begin()
	line = bytes.TrimPrefix(lines.Trim(line), []byte("data:"))
	lines.Objects(&p.scanner, &p.verdict, line, p.readObject)
	return p.out
}

// begin makes room for the events of a line.
func (p *Parser) begin() {
	p.output.Reset()
	p.columns, p.scratch = lines.Buffer(p.columns), lines.Buffer(p.scratch)
	p.out, p.verdict = lines.Events(p.out), lines.Verdict{Status: events.LineIgnored}
}

// DropOutput drops the texts of results from now on, see [events.OutputDropper].
func (p *Parser) DropOutput() { p.output.Drop() }

func (p *Parser) readObject() {
	if p.record.read(&p.scanner) {
		p.verdict.Note(p.dispatch(&p.record))
	}
}

// dispatch finds the form of a record by what only that form has.
func (p *Parser) dispatch(r *record) events.LineStatus {
	switch {
	case r.table.Kind == scan.KindString:
		return p.row(r)
	case r.messages.Kind == scan.KindArray && r.info.Kind == scan.KindObject:
		return p.export(r)
	case r.properties.Kind == scan.KindObject:
		return p.serverEvent(r)
	default:
		return p.streamLine(r)
	}
}

// Flush returns the pending events of the ended stream: its end, if it has one, and what messages have of which no part
// came.
func (p *Parser) Flush() []events.DisplayEvent {
	p.begin()
	p.releaseDrafts()
	p.releaseStarts()
	p.releaseEnd()
	for len(p.deferred) > 0 {
		p.releaseFirst()
	}
	return p.out
}

// Pending reports whether Flush would return something.
func (p *Parser) Pending() bool {
	return p.stream.held || len(p.deferred) > 0 || len(p.starts) > 0 || p.pending()
}

// Quiet gives the end that is pending only because the agent may go on, after a compaction, and the errors of messages
// that are pending since parts may follow; it is for those who follow a stream that has been quiet for a while. If the
// agent goes on nevertheless, so do the events.
func (p *Parser) Quiet() []events.DisplayEvent {
	p.begin()
	p.releaseDrafts()
	p.releaseStarts()
	p.releaseEnd()
	p.releaseIf(func(o *deferred) bool { return o.failure.name != "" })
	return p.out
}

// LineStatus is the status of the last line.
func (p *Parser) LineStatus() events.LineStatus { return p.verdict.Status }

// Incomplete reports whether a stream began something and lacks its end. The other forms have no end.
func (p *Parser) Incomplete() bool { return p.stream.open && !p.stream.ended }

// UnknownType names the type that made the last line's status LineUnknownType, such as "part/new-thing".
func (p *Parser) UnknownType() string { return p.verdict.Unknown }

// unknownType notes a type that no table knows.
func (p *Parser) unknownType(prefix string, kind scan.Value) events.LineStatus {
	p.verdict.Unknown = lines.TypeName(prefix, kind.Body())
	return events.LineUnknownType
}

// emit adds an event with the identity in head. The pointer is good until the next emit.
func (p *Parser) emit(kind events.Kind) *events.DisplayEvent {
	return lines.Emit(&p.out, &p.head, kind)
}

func (p *Parser) notice(level events.Level, code, text string) {
	e := p.emit(events.KindNotice)
	e.Notice, e.Text = events.Notice{Level: level, Code: code}, text
}

// millis reads a time in milliseconds since 1970; the zero time for what is none.
func millis(v scan.Value) time.Time {
	ms := v.Int()
	if v.Kind != scan.KindNumber || ms <= 0 || ms > maxMillis {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// maxMillis is the end of the year 9999, which is the last that times are written for.
const maxMillis = 253402300799999

// firstTime gives the first of several times that is known.
func firstTime(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}
