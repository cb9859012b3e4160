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
	maxMessages = 1 << 14 // messages of a transcript, to count texts and tokens once
	maxCalls    = 1 << 14 // tool calls, to pair them with results
)

// Parser parses one stream, transcript or document. The package document lists what it remembers.
type Parser struct {
	line
	record     record
	stream     stream
	transcript transcript
	report     report
	calls      calls
}

// line is what the parts of a parser share: the memory of the current line, and its session and agent.
type line struct {
	decode.Decoder
	session string // session of the last line that had one
	agent   string // sub-agent that the transcript belongs to
	started string // session of the last SessionStarted
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

// Parse parses one line, or one document. It may hold several objects, without a newline between them, or an array
// of objects; each is treated as a separate line.
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

// State returns what the stream keeps between lines. It is incomplete if something has begun and its result
// line is missing. Transcripts have no result.
func (p *Parser) State() decode.State { return decode.State{Incomplete: p.stream.run.open} }

// dispatch converts one whole record to events. Transcripts have no common type: the keys decide.
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

// beginObject sets the head of a record's events from its time and the session of earlier lines.
func (l *line) beginObject(timestamp scan.Value) {
	l.Head = lines.Head{Time: timeOf(timestamp), SessionID: l.session, AgentID: l.agent}
}

// timeOf reads a time. A writer's zero time is none.
func timeOf(v scan.Value) time.Time { return lines.Moment(v.Time()) }

// blank reports whether text consists of white space.
func blank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }
