package opencode

import (
	"bytes"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/decode"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Name is the provider's name in settings and on the command line.
const Name = "opencode"

// Parser parses one stream, dump, log, tree or document. The package document lists what it remembers.
type Parser struct {
	line
	record       *record
	stream       stream
	store        store
	server       server
	conversation conversation
	calls        calls
	pending      pending
}

// line is what the parts of a parser share: the memory of the current line, and what earlier lines say about its session.
type line struct {
	decode.Decoder
	small     scan.Scanner // over small values that were kept whole
	columns   []byte       // backs the texts of columns, including Tool.Input
	sessionID lines.Again
	messageID lines.Again

	parts    memory.Table[call]
	messages memory.Table[message]
	sessions memory.Table[session]
	tasks    memory.Table[string] // title of the session that a task starts → ID of the call
}

// New returns a parser for one stream.
func New() *Parser {
	p := &Parser{record: newRecord(), line: line{
		Decoder:  decode.New(),
		parts:    memory.NewTable[call](maxParts),
		messages: memory.NewTable[message](maxMessages),
		sessions: memory.NewTable[session](maxSessions),
		tasks:    memory.NewTable[string](maxSessions),
	}}
	l := &p.line
	p.calls = calls{line: l, openIDs: memory.NewTable[uint64](maxOpenCalls)}
	p.pending.line = l
	p.conversation = conversation{line: l, calls: &p.calls, pending: &p.pending}
	p.stream = stream{line: l, conversation: &p.conversation}
	p.store = store{line: l, conversation: &p.conversation, calls: &p.calls, pending: &p.pending}
	p.store.bind()
	p.server = server{line: l, store: &p.store}
	return p
}

// Parse parses one line, or one document. A line may hold several objects, without a newline between them, or an array
// of objects; each is treated as a separate line. Lines of a server's event stream may begin with "data:".
func (p *Parser) Parse(line []byte) decode.Result {
	p.begin()
	p.Objects(bytes.TrimPrefix(lines.Trim(line), []byte("data:")), p.readObject)
	return p.Result()
}

// begin prepares for the events of a line.
func (p *Parser) begin() {
	p.Begin()
	p.columns = lines.Buffer(p.columns)
}

func (p *Parser) readObject() {
	if p.record.read(&p.Scanner) {
		p.Verdict.Note(p.dispatch(p.record))
	}
}

// dispatch determines the form of a record by members that only that form has.
func (p *Parser) dispatch(r *record) events.LineStatus {
	switch {
	case r.table.Kind == scan.KindString:
		return p.store.row(r)
	case r.messages.Kind == scan.KindArray && r.info.Kind == scan.KindObject:
		return p.store.export(r)
	case r.properties.Kind == scan.KindObject:
		return p.server.serverEvent(r)
	default:
		return p.stream.streamLine(r)
	}
}

// Flush returns the pending events of the ended stream: its end, if it has one, and the contents of messages of which
// no part arrived.
func (p *Parser) Flush() decode.Result {
	p.begin()
	p.store.replay(p.pending.releaseDrafts())
	p.pending.releaseStarts(true)
	p.stream.releaseEnd()
	for len(p.pending.deferred) > 0 {
		p.pending.releaseFirst()
	}
	return decode.Result{Events: p.Out}
}

// Quiet returns an end that is pending only because the agent may continue after a compaction, unless the stream shows that
// it does, and errors of messages that are pending because parts may follow. Call it when a followed stream has been quiet for
// a while. If the agent nevertheless continues, so do the events.
func (p *Parser) Quiet() []events.DisplayEvent {
	p.begin()
	p.store.replay(p.pending.releaseDrafts())
	p.pending.releaseStarts(false)
	p.stream.releaseQuietEnd()
	p.pending.releaseIf(func(o *deferred) bool { return o.failure.name != "" })
	return p.Out
}

// State returns what the stream keeps between lines. It is incomplete if something has begun and its end is missing.
// Only the stream form has an end.
func (p *Parser) State() decode.State {
	return decode.State{
		Pending:    p.stream.run.state == runHeld || len(p.pending.deferred) > 0 || p.pending.holdsStart() || p.pending.hasDrafts(),
		Incomplete: p.stream.run.state == runOpen || p.stream.run.state == runHeld,
	}
}

// millis reads a time in milliseconds since 1970, or the zero time if there is none.
func millis(v scan.Value) time.Time {
	ms := v.Int()
	if v.Kind != scan.KindNumber || ms <= 0 || ms > maxMillis {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// maxMillis is the end of the year 9999, the last one that written times can have.
const maxMillis = 253402300799999

// firstTime returns the first known time.
func firstTime(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// Limits of what a parser remembers, in entries. The oldest is evicted first; a later repetition of it then counts as new.
const (
	maxParts     = 1 << 16 // parts, to omit repetitions and to pair a call's states
	maxOpenCalls = 1 << 12 // calls without a result
	maxMessages  = 1 << 14 // messages, for role, model and turn of their parts
	maxSessions  = 1 << 12 // sessions, and tasks whose session is unknown
)

// The domains of hashes, so that a message never collides with a session.
const (
	domainPart byte = iota
	domainCall
	domainMessage
	domainSession
	domainTask
)

// partKey returns the key of a part, or false if it has no ID and thus cannot be a repetition.
func (l *line) partKey(pt *part) (uint64, bool) {
	if len(pt.id.Body()) > 0 {
		return l.Keys.ID(domainPart, pt.id.Body()), true
	}
	return 0, false
}

// first reports whether a part that is emitted once is seen for the first time, and remembers it.
func (l *line) first(pt *part) bool {
	key, ok := l.partKey(pt)
	if !ok {
		return true
	}
	return l.parts.Add(key)
}

// taskKey returns the key of a task: the session that called it, and the title of the session that it starts.
func (l *line) taskKey(session scan.Value, title string) uint64 {
	return l.Keys.With(l.Keys.ID(domainTask, session.Body()), []byte(title))
}

// column unescapes the text of a column into memory that is valid as long as the line's events.
func (l *line) column(v scan.Value) []byte {
	start := len(l.columns)
	l.columns = scan.AppendString(l.columns, v.Body())
	return l.columns[start:len(l.columns):len(l.columns)]
}
