package openai

import (
	"bytes"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/decode"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Name is the provider's name in settings and on the command line.
const Name = "openai_compatible"

// Limits of what a parser remembers, in entries. The oldest is evicted first.
const (
	maxNames   = 1 << 14 // names of calls, for their results
	maxResults = 1 << 14 // results in requests, to emit each once
	maxPolled  = 1 << 10 // responses that run in the background
)

// The domain of keys. Calls and responses have separate tables.
const domainID byte = 0

// Parser parses the responses of one file or stream. The package document lists what it remembers.
type Parser struct {
	line
	record *record
	frame  frame

	answers   answers
	responses responses
	requests  requests
	items     items
	contents  contents
	calls     calls
	ledger    ledger
}

// line is what the parts of a parser share: the memory of the current line.
type line struct{ decode.Decoder }

// New returns a parser for one file or stream.
func New() *Parser {
	p := &Parser{line: line{decode.New()}, record: newRecord()}
	p.record.response = newRecord()
	l := &p.line
	p.ledger.line, p.ledger.fields = l, p.ledger.usage.fields()
	p.calls = calls{line: l, names: memory.NewTable[string](maxNames)}
	p.contents = contents{line: l, calls: &p.calls}
	p.items = items{line: l, calls: &p.calls, contents: &p.contents, results: memory.NewTable[int](maxResults)}
	p.requests = requests{line: l, calls: &p.calls, items: &p.items}
	p.answers = answers{line: l, calls: &p.calls, contents: &p.contents, ledger: &p.ledger, responses: &p.responses}
	p.responses = responses{
		line: l, answers: &p.answers, contents: &p.contents, items: &p.items, ledger: &p.ledger,
		polled: memory.NewTable[[]polledItem](maxPolled),
	}
	return p
}

// Parse parses one line: a body, several bodies in sequence, an array of bodies, or a line of a stream of server-sent
// events. A body that spans many lines must be passed whole. If an event spans several lines, the status of the last one
// counts.
func (p *Parser) Parse(line []byte) decode.Result {
	p.beginLine()
	p.readLine(lines.Trim(line))
	return p.Result()
}

// beginLine prepares for the events of a line.
func (p *Parser) beginLine() {
	p.Begin()
	p.calls.input = lines.Buffer(p.calls.input)
}

// objects reads the JSON of a line.
func (p *Parser) objects(line []byte) {
	for line = lines.Trim(line); len(line) > 0; line = lines.Trim(line) {
		p.Scanner.Reset(line)
		switch p.Scanner.Peek() {
		case scan.KindObject:
			if p.record.read(&p.Scanner) {
				p.dispatch(p.record)
			}
		case scan.KindArray:
			p.array(line)
		default:
			p.Verdict.Note(events.LineMalformed)
			return
		}
		if p.Scanner.Err() != nil {
			p.Verdict.Note(events.LineMalformed)
			return
		}
		line = p.Scanner.Rest()
	}
}

// array reads a list of bodies, the form in which Gemini's endpoint sends its errors. A torn list yields nothing.
func (p *Parser) array(line []byte) {
	if p.Scanner.Skip(); p.Scanner.Err() != nil {
		return
	}
	p.Scanner.Reset(line)
	objects, others := 0, 0
	for p.Scanner.Array(); p.Scanner.Element(); {
		if p.Scanner.Peek() != scan.KindObject {
			others++
			p.Scanner.Skip()
			continue
		}
		objects++
		if p.record.read(&p.Scanner) {
			p.dispatch(p.record)
		}
	}
	if objects == 0 || others > 0 {
		p.Verdict.Note(events.LineMalformed)
	}
}

// kind is the meaning of a record.
type kind uint8

const (
	kindUnknown       kind = iota
	kindBody               // a whole chat completion
	kindChunk              // a piece of one
	kindResponse           // a whole response of the Responses API
	kindResponseEvent      // a piece of one
	kindNative             // from Ollama's own API
	kindFailure            // an error body
	kindRequest            // a request to the server
)

// kindOf determines the kind of a record by its shape: object and type may be missing.
func (p *Parser) kindOf(r *record) kind {
	switch {
	case isResponseEvent(r):
		return kindResponseEvent
	case r.object.Is("chat.completion.chunk"):
		return kindChunk
	case r.object.Is("chat.completion"):
		return kindBody
	case r.object.Is("text_completion"): // the API before chat: no agent uses it
		return kindUnknown
	case r.hasChoices:
		for i := range r.choices {
			if c := &r.choices[i]; c.whole.there {
				return kindBody
			} else if c.delta.there {
				return kindChunk
			}
		}
		if p.frame.streams || p.answers.answer.open {
			return kindChunk
		}
		return kindBody
	case r.object.Is("response") || r.hasOutput && r.rest.Get("status").Exists():
		return kindResponse
	case isNative(r):
		return kindNative
	case isFailure(r):
		return kindFailure
	case isRequest(r):
		return kindRequest
	}
	return kindUnknown
}

// isResponseEvent reports whether a record is an event of a Responses stream, by its type.
func isResponseEvent(r *record) bool {
	const prefix = "response."
	kind := r.kind.Body()
	return len(kind) > len(prefix) && string(kind[:len(prefix)]) == prefix
}

// dispatch converts one whole record to events.
func (p *Parser) dispatch(r *record) {
	switch p.kindOf(r) {
	case kindBody:
		p.answers.body(r)
	case kindChunk:
		p.answers.chunk(r)
	case kindResponse:
		p.responses.response(r)
	case kindResponseEvent:
		p.responses.responseEvent(r)
		return
	case kindNative:
		p.answers.native(r)
	case kindFailure:
		p.answers.errorBody(r)
	case kindRequest:
		p.requests.request(r)
	default:
		p.unknown(r)
		return
	}
	p.Verdict.Note(events.LineOK)
}

func (p *Parser) unknown(r *record) {
	name := r.object
	if len(name.Body()) == 0 {
		name = r.kind
	}
	p.Verdict.Note(p.Unknown("", name.Body()))
}

// Flush returns the answer in which the stream ended: with its end if it had finished, otherwise what exists of it. If the last
// lines are an event that was cut, they are malformed; they counted as ignored, since the event could have been completed.
func (p *Parser) Flush() decode.Result {
	p.beginLine()
	p.frameEnd()
	status := p.Verdict.Status
	p.answers.close()
	return decode.Result{Events: p.Out, Status: status}
}

// State returns what the stream keeps between lines. It is incomplete if an answer has begun and its end is missing. Pieces
// of answers that exceed the limits are counted as dropped.
func (p *Parser) State() decode.State {
	return decode.State{
		Pending: p.answers.answer.open, Incomplete: p.answers.answer.open && !p.answers.answer.finished() || p.answers.cut, Dropped: p.answers.dropped,
	}
}

// key returns the key of an ID. It does not depend on how the ID is escaped.
func (l *line) key(id scan.Value) uint64 { return l.Keys.ID(domainID, id.Body()) }

// failureOf reads the error that accompanies or replaces an answer.
func (l *line) failureOf(r *record) failure { return l.readFailure(r.failure) }

// readFailure reads an error: an object, a text, or any other value except null.
func (l *line) readFailure(v scan.Value) failure {
	switch v.Kind {
	case scan.KindNone, scan.KindNull:
		return failure{}
	case scan.KindString:
		return failure{failed: true, text: l.Strings.Text(v)}
	case scan.KindObject:
		l.Members(v)
		f := failure{failed: true, text: l.words(l.Nested.Get("message"))}
		for _, key := range [...]string{"code", "type", "status"} {
			if f.code = l.code(l.Nested.Get(key)); f.code != "" {
				break
			}
		}
		return f
	default:
		return failure{failed: true, text: l.Strings.JSON(v)}
	}
}

// code reads a code: a word or a number. LiteLLM writes 'None' if there is none, and xAI a sentence.
func (l *line) code(v scan.Value) string {
	switch {
	case v.Kind == scan.KindNumber:
		return l.Strings.JSON(v)
	case v.Is("None"), bytes.IndexByte(v.Body(), ' ') >= 0:
		return ""
	}
	return l.Strings.Intern(v)
}

// words returns a text, or the JSON of what replaces one: FastAPI's list of the errors in a request.
func (l *line) words(v scan.Value) string {
	switch v.Kind {
	case scan.KindString:
		return l.Strings.Text(v)
	case scan.KindObject, scan.KindArray:
		return l.Strings.JSON(v)
	}
	return ""
}
