package opencode

import (
	"bytes"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/decode"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Name is the provider's name in settings and on the command line.
const Name = "opencode"

// Parser reads one stream, dump, log, tree or document; see the package doc for what it remembers.
type Parser struct {
	decode.Decoder
	list    scan.Scanner // over the parts of an exported message
	small   scan.Scanner // over small values that were kept whole
	record  record
	info    messageInfo
	columns []byte       // backs the texts of columns, and with them Tool.Input
	args    scan.Members // properties of an event

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
		Decoder:  decode.New(),
		parts:    memory.New[call](maxParts),
		openIDs:  memory.New[uint64](maxOpenCalls),
		messages: memory.New[message](maxMessages),
		sessions: memory.New[session](maxSessions),
		tasks:    memory.New[string](maxSessions),
	}
}

// Parse reads one line, or one document. A line may hold several objects, one behind the other without a newline between
// them, or an array of objects; each is treated as a line of its own. Lines of a server's event stream may keep their
// "data:".
func (p *Parser) Parse(line []byte) decode.Result {
	p.begin()
	p.Objects(bytes.TrimPrefix(lines.Trim(line), []byte("data:")), p.readObject)
	return p.Result()
}

// begin makes room for the events of a line.
func (p *Parser) begin() {
	p.Begin()
	p.columns = lines.Buffer(p.columns)
}

func (p *Parser) readObject() {
	if p.record.read(&p.Scanner) {
		p.Verdict.Note(p.dispatch(&p.record))
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
func (p *Parser) Flush() decode.Result {
	p.begin()
	p.releaseDrafts()
	p.releaseStarts()
	p.releaseEnd()
	for len(p.deferred) > 0 {
		p.releaseFirst()
	}
	return decode.Result{Events: p.Out}
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
	return p.Out
}

// State returns what the stream holds. It is incomplete if something has begun that lacks its end; forms other than the
// stream have no end.
func (p *Parser) State() decode.State {
	return decode.State{
		Pending:    p.stream.held || len(p.deferred) > 0 || len(p.starts) > 0 || p.pending(),
		Incomplete: p.stream.open && !p.stream.ended,
	}
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
