package gemini

import (
	"bytes"
	"hash/maphash"
	"time"

	"github.com/tailspan/tailspan/events"
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

// Sizes from which the buffers of a line are not kept for the next one.
const (
	keepOutputBytes = 1 << 20
	keepEvents      = 1 << 10
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
	seed    maphash.Seed

	out     []events.DisplayEvent
	output  []byte  // backs Tool.Output
	scratch []byte  // texts that nobody keeps
	nested  members // members of a nested object
	status  events.LineStatus
	unknown string

	// head holds the identity that the events of a record share.
	head events.DisplayEvent

	messages memory.Memory[message]
	calls    memory.Memory[call]
	entries  memory.Memory[entry]

	session  string // the last one told
	agent    string // the sub-agent whose transcript this is
	started  string // the session that a SessionStarted was made for
	snapshot uint64 // the last compaction's summary, by its hash
	copying  bool   // the lines at hand repeat history
	modelled bool   // the model has said something since the header

	stream stream
}

// New returns a parser for one stream.
func New() *Parser {
	return &Parser{
		seed:     maphash.MakeSeed(),
		messages: memory.New[message](maxMessages),
		calls:    memory.New[call](maxCalls),
		entries:  memory.New[entry](maxCalls),
	}
}

// ParseEvents takes one line, or one document. It may hold several objects, one behind the other without a newline
// between them, or an array of objects; each is treated as a line of its own.
func (p *Parser) ParseEvents(line []byte) []events.DisplayEvent {
	if cap(p.output) > keepOutputBytes {
		p.output = nil
	}
	if cap(p.scratch) > keepOutputBytes {
		p.scratch = nil
	}
	if cap(p.out) > keepEvents {
		p.out = nil
	}
	p.out, p.output, p.status, p.unknown = p.out[:0], p.output[:0], events.LineIgnored, ""
	for line = trimMark(line); len(line) > 0; line = trim(line) {
		p.scanner.Reset(line)
		switch p.scanner.Peek() {
		case scan.KindObject:
			p.readObject()
		case scan.KindArray:
			p.readArray()
		default:
			p.note(events.LineMalformed)
			return p.out
		}
		if p.scanner.Err() != nil {
			p.note(events.LineMalformed)
			return p.out
		}
		line = p.scanner.Rest()
	}
	return p.out
}

func (p *Parser) readObject() {
	if p.record.read(&p.scanner) {
		p.note(p.dispatch(&p.record))
	}
}

// readArray takes records that somebody put into one array.
func (p *Parser) readArray() {
	objects, others := 0, 0
	for p.scanner.Array(); p.scanner.Element(); {
		if p.scanner.Peek() == scan.KindObject {
			objects++
			p.readObject()
		} else {
			others++
			p.scanner.Skip()
		}
	}
	if objects == 0 || others > 0 {
		p.note(events.LineMalformed)
	}
}

// note raises the status of the line: of several objects on it the most telling counts.
func (p *Parser) note(s events.LineStatus) {
	if rank(s) > rank(p.status) {
		p.status = s
	}
}

func rank(s events.LineStatus) int {
	switch s {
	case events.LineMalformed:
		return 3
	case events.LineOK:
		return 2
	case events.LineUnknownType:
		return 1
	default:
		return 0
	}
}

// LineStatus tells what became of the last line. Of several objects on one line the most telling counts: malformed,
// then understood, then unknown.
func (p *Parser) LineStatus() events.LineStatus { return p.status }

// Incomplete reports whether the stream began something whose result line has not come. Transcripts have no result.
func (p *Parser) Incomplete() bool { return p.stream.open }

// UnknownType names the type that made the last line's status LineUnknownType, such as "message/new_thing".
func (p *Parser) UnknownType() string { return p.unknown }

// dispatch turns one whole record into events. Transcripts have no common type: the keys tell.
func (p *Parser) dispatch(r *record) events.LineStatus {
	switch {
	case r.set.told.Exists():
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
	case r.response.Kind == scan.KindString || r.stats.Kind == scan.KindObject || r.failure.told:
		p.report(r)
		return events.LineOK
	default:
		return p.unknownType("", nil)
	}
}

// unknownType takes note of a type that is not known.
func (p *Parser) unknownType(prefix string, kind []byte) events.LineStatus {
	if p.unknown == "" {
		p.unknown = typeName(prefix, kind)
	}
	return events.LineUnknownType
}

// maxTypeName is the longest name of an unknown type that is told, in bytes.
const maxTypeName = 64

// typeName gives the name of an unknown type; names come from the input, so they are cleaned and cut.
func typeName(prefix string, kind []byte) string {
	if len(kind) == 0 {
		return prefix + "(none)"
	}
	return prefix + events.CleanLine(string(scan.AppendString(nil, kind[:min(len(kind), maxTypeName)])), maxTypeName)
}

// emit adds an event with the identity in head. The pointer is good until the next emit.
func (p *Parser) emit(kind events.Kind) *events.DisplayEvent {
	p.out = append(p.out, p.head)
	e := &p.out[len(p.out)-1]
	e.Kind = kind
	return e
}

// notice adds a Notice.
func (p *Parser) notice(level events.Level, code, text string) {
	e := p.emit(events.KindNotice)
	e.Notice = events.Notice{Level: level, Code: code}
	e.Text = text
}

// begin makes the head of a record's events, from its time and what the stream told before.
func (p *Parser) begin(timestamp scan.Value) {
	p.head = events.DisplayEvent{Time: timeOf(timestamp), SessionID: p.session, AgentID: p.agent}
}

// timeOf reads a time; 0001-01-01 and its like are a writer's zero, not a time.
func timeOf(v scan.Value) time.Time {
	t := v.Time()
	if t.Year() < 1970 {
		return time.Time{}
	}
	return t
}

// blank reports whether text is white space alone.
func blank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

// trimMark takes off the byte order mark of a file's first line too.
func trimMark(line []byte) []byte {
	if line = trim(line); bytes.HasPrefix(line, []byte("\xef\xbb\xbf")) {
		line = trim(line[3:])
	}
	return line
}

// trim takes off blanks, and the NULs that a crash can leave in a file where its end was.
func trim(line []byte) []byte {
	for len(line) > 0 && isBlank(line[0]) {
		line = line[1:]
	}
	for n := len(line); n > 0 && isBlank(line[n-1]); n = len(line) {
		line = line[:n-1]
	}
	return line
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == 0 }
