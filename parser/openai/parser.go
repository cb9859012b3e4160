package openai

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/decode"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/memory"
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

// The domains of keys. Calls and responses are remembered apart.
const domainID byte = 0

// Parser reads the responses of one file or stream; see the package doc for what it remembers.
type Parser struct {
	decode.Decoder
	record record

	quoted scan.Quoted // over arguments that are JSON in a string
	input  []byte      // backs Tool.Input where the line has them so, and p.args
	args   scan.Members
	entry  scan.Members

	frame    frame
	answer   answer
	answers  int  // how many have begun
	answered int  // how many calls of the last one were emitted
	cut      bool // the last answer had no end
	dropped  int

	names   memory.Memory[string]
	results memory.Memory[int]
	repeats map[uint64]int // of the ids of one request
	polled  memory.Memory[[]polledItem]
}

// New returns a parser for one file or stream.
func New() *Parser {
	return &Parser{
		record:  record{response: &record{}},
		Decoder: decode.New(),
		names:   memory.New[string](maxNames),
		results: memory.New[int](maxResults),
		polled:  memory.New[[]polledItem](maxPolled),
	}
}

// Parse reads one line: a body, several bodies one behind the other, an array of bodies, or a line of a stream of
// server-sent events. A body that spans many lines is passed whole. Of an event that spans several lines the status of the
// last one counts.
func (p *Parser) Parse(line []byte) decode.Result {
	p.beginLine()
	p.line(lines.Trim(line))
	return p.Result()
}

// beginLine makes room for the events of a line.
func (p *Parser) beginLine() {
	p.Begin()
	p.input = lines.Buffer(p.input)
}

// objects takes the JSON of a line.
func (p *Parser) objects(line []byte) {
	for line = lines.Trim(line); len(line) > 0; line = lines.Trim(line) {
		p.Scanner.Reset(line)
		switch p.Scanner.Peek() {
		case scan.KindObject:
			if p.record.read(&p.Scanner) {
				p.dispatch(&p.record)
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

// array takes a list of bodies, as Gemini's endpoint sends its errors. A torn list gives nothing.
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
			p.dispatch(&p.record)
		}
	}
	if objects == 0 || others > 0 {
		p.Verdict.Note(events.LineMalformed)
	}
}

// kind is what a record turned out to be.
type kind uint8

const (
	kindUnknown       kind = iota
	kindBody               // a whole chat completion
	kindChunk              // a piece of one
	kindResponse           // a whole response of the Responses API
	kindResponseEvent      // a piece of one
	kindNative             // of Ollama's own API
	kindFailure            // the body of an error
	kindRequest            // what went to the server
)

// kindOf determines what a record is by its shape: object and type may be missing.
func (p *Parser) kindOf(r *record) kind {
	switch {
	case isResponseEvent(r):
		return kindResponseEvent
	case r.object.Is("chat.completion.chunk"):
		return kindChunk
	case r.object.Is("chat.completion"):
		return kindBody
	case r.object.Is("text_completion"): // the API before chat: no agent works by it
		return kindUnknown
	case r.hasChoices:
		for i := range r.choices {
			if c := &r.choices[i]; c.whole.there {
				return kindBody
			} else if c.delta.there {
				return kindChunk
			}
		}
		if p.frame.streams || p.answer.open {
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

// isResponseEvent recognises the events of a Responses stream by their type.
func isResponseEvent(r *record) bool {
	const prefix = "response."
	kind := r.kind.Body()
	return len(kind) > len(prefix) && string(kind[:len(prefix)]) == prefix
}

// dispatch turns one whole record into events.
func (p *Parser) dispatch(r *record) {
	switch p.kindOf(r) {
	case kindBody:
		p.body(r)
	case kindChunk:
		p.chunk(r)
	case kindResponse:
		p.response(r)
	case kindResponseEvent:
		p.responseEvent(r)
		return
	case kindNative:
		p.native(r)
	case kindFailure:
		p.errorBody(r)
	case kindRequest:
		p.request(r)
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

// Flush returns the answer that the stream ended in: with its end if it had finished, else what there is of it. The last
// lines are malformed if they are an event that was cut; they counted as ignored, since it could have been completed.
func (p *Parser) Flush() decode.Result {
	p.beginLine()
	p.frameEnd()
	status := p.Verdict.Status
	p.close()
	return decode.Result{Events: p.Out, Status: status}
}

// State returns what the stream holds. It is incomplete if an answer began that lacks its end; pieces of answers are dropped
// when an answer is too long.
func (p *Parser) State() decode.State {
	return decode.State{
		Pending: p.answer.open, Incomplete: p.answer.open && !p.answer.finished() || p.cut, Dropped: p.dropped,
	}
}

// key makes a key of an id for a memory, however the id is escaped.
func (p *Parser) key(id scan.Value) uint64 { return p.Keys.ID(domainID, id.Body()) }
