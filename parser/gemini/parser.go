package gemini

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
const Name = "gemini"

// Limits of what a parser remembers, in entries.
const (
	maxMessages = 1 << 14 // messages of a transcript, to give each text once and its tokens once
	maxCalls    = 1 << 14 // tool calls, to pair them with results
)

// Parser reads one stream, transcript or document; see the package doc for what it remembers.
type Parser struct {
	line
	record     record
	stream     stream
	transcript transcript
	report     report
	calls      calls
}

// line is what the parts of a parser share: the memory of the line at work, and whose it is.
type line struct {
	decode.Decoder
	session string // the last one that a line had
	agent   string // the sub-agent whose transcript this is
	started string // the session that a SessionStarted was made for
}

// New returns a parser for one stream.
func New() *Parser {
	p := &Parser{line: line{Decoder: decode.New()}}
	l := &p.line
	p.calls = calls{line: l, byID: memory.NewTable[call](maxCalls), entries: memory.NewTable[entry](maxCalls)}
	p.stream = stream{line: l, calls: &p.calls}
	p.transcript = transcript{line: l, calls: &p.calls, messages: memory.NewTable[message](maxMessages)}
	p.report.line = l
	p.record.bind()
	return p
}

// Parse reads one line, or one document. It may hold several objects, one behind the other without a newline between
// them, or an array of objects; each is treated as a line of its own.
func (p *Parser) Parse(line []byte) decode.Result {
	p.Begin()
	p.Objects(line, p.readObject)
	return p.Result()
}

func (p *Parser) readObject() {
	if p.record.read(&p.Scanner) {
		p.Verdict.Note(p.dispatch(&p.record))
	}
}

// State returns what the stream holds. It is incomplete if something has begun whose result line has not come.
// Transcripts have no result.
func (p *Parser) State() decode.State { return decode.State{Incomplete: p.stream.run.open} }

// dispatch turns one whole record into events. Transcripts have no common type: the keys decide.
func (p *Parser) dispatch(r *record) events.LineStatus {
	switch {
	case r.set.value.Exists():
		return p.transcript.patch(r)
	case r.rewind.Kind == scan.KindString:
		p.transcript.rewind(r)
		return events.LineOK
	case r.id.Kind == scan.KindString:
		return p.transcript.message(r)
	case r.sessionID.Kind == scan.KindString && (r.projectHash.Kind == scan.KindString || r.messages.Kind == scan.KindArray):
		p.transcript.conversation(r)
		return events.LineOK
	case r.kind.Kind == scan.KindString:
		return p.stream.readLine(r)
	case r.response.Kind == scan.KindString || r.stats.Kind == scan.KindObject || r.failure.present:
		p.report.document(r)
		return events.LineOK
	default:
		return p.Unknown("", nil)
	}
}

// beginObject makes the head of a record's events, from its time and the session of earlier lines.
func (l *line) beginObject(timestamp scan.Value) {
	l.Head = lines.Head{Time: timeOf(timestamp), SessionID: l.session, AgentID: l.agent}
}

// timeOf reads a time; a writer's zero is none.
func timeOf(v scan.Value) time.Time { return lines.Moment(v.Time()) }

// blank reports whether text is white space alone.
func blank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }
