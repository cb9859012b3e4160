package openai

import (
	"github.com/tailspan/tailspan/events"
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

// Parser reads the responses of one file or stream. It implements events.DisplayEventSource, events.LineStatuser,
// events.Flusher, events.InputDropper and events.OutputDropper; see the package doc for what it remembers.
type Parser struct {
	scanner scan.Scanner // over the line
	inner   scan.Scanner // over values in it that were kept whole
	record  record
	strings scan.Strings
	keys    memory.Keys

	out     []events.DisplayEvent
	output  lines.Output // backs Tool.Output
	quoted  scan.Quoted  // over arguments that are JSON in a string
	input   []byte       // backs Tool.Input where the line has them so, and p.args
	scratch []byte       // texts that nobody keeps
	args    scan.Members
	nested  scan.Members
	entry   scan.Members
	verdict lines.Verdict

	dropInput bool

	// head holds the identity that all events of an answer share.
	head lines.Head

	frame    frame
	answer   answer
	answers  int  // how many have begun
	answered int  // how many calls of the last one were emitted
	cut      bool // the last answer had no end
	torn     bool
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
		keys:    memory.NewKeys(),
		names:   memory.New[string](maxNames),
		results: memory.New[int](maxResults),
		polled:  memory.New[[]polledItem](maxPolled),
	}
}

// ParseEvents takes one line: a body, several bodies one behind the other, an array of bodies, or a line of a stream of
// server-sent events. A body that spans many lines is given whole.
func (p *Parser) ParseEvents(line []byte) []events.DisplayEvent {
	p.reset()
	p.line(lines.Trim(line))
	return p.out
}

// DropInput drops the arguments of calls from now on, see [events.InputDropper].
func (p *Parser) DropInput() { p.dropInput = true }

// DropOutput drops the texts of results from now on, see [events.OutputDropper].
func (p *Parser) DropOutput() { p.output.Drop() }

// reset makes room for the events of a line.
func (p *Parser) reset() {
	p.output.Reset()
	p.input, p.scratch = lines.Buffer(p.input), lines.Buffer(p.scratch)
	p.out, p.verdict = lines.Events(p.out), lines.Verdict{Status: events.LineIgnored}
}

// objects takes the JSON of a line.
func (p *Parser) objects(line []byte) {
	for line = lines.Trim(line); len(line) > 0; line = lines.Trim(line) {
		p.scanner.Reset(line)
		switch p.scanner.Peek() {
		case scan.KindObject:
			if p.record.read(&p.scanner) {
				p.dispatch(&p.record)
			}
		case scan.KindArray:
			p.array(line)
		default:
			p.verdict.Note(events.LineMalformed)
			return
		}
		if p.scanner.Err() != nil {
			p.verdict.Note(events.LineMalformed)
			return
		}
		line = p.scanner.Rest()
	}
}

// array takes a list of bodies, as Gemini's endpoint sends its errors. A torn list gives nothing.
func (p *Parser) array(line []byte) {
	if p.scanner.Skip(); p.scanner.Err() != nil {
		return
	}
	p.scanner.Reset(line)
	objects, others := 0, 0
	for p.scanner.Array(); p.scanner.Element(); {
		if p.scanner.Peek() != scan.KindObject {
			others++
			p.scanner.Skip()
			continue
		}
		objects++
		if p.record.read(&p.scanner) {
			p.dispatch(&p.record)
		}
	}
	if objects == 0 || others > 0 {
		p.verdict.Note(events.LineMalformed)
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
	p.verdict.Note(events.LineOK)
}

func (p *Parser) unknown(r *record) {
	name := r.object
	if len(name.Body()) == 0 {
		name = r.kind
	}
	p.verdict.NoteUnknown(lines.TypeName("", name.Body()))
}

// Flush gives the answer that the stream ended in: with its end if it had finished, else what there is of it.
func (p *Parser) Flush() []events.DisplayEvent {
	p.reset()
	p.frameEnd()
	p.torn = p.verdict.Status == events.LineMalformed
	p.close()
	return p.out
}

// Pending reports whether Flush would return something.
func (p *Parser) Pending() bool { return p.answer.open }

// LineStatus is the status of the last line. Of several objects on one line the most informative counts: malformed,
// then understood, then unknown. Of an event that spans several lines the last one counts.
func (p *Parser) LineStatus() events.LineStatus { return p.verdict.Status }

// UnknownType names the type that made the last line's status LineUnknownType, such as "response.new.thing".
func (p *Parser) UnknownType() string { return p.verdict.Unknown }

// Incomplete reports whether an answer began that lacks its end.
func (p *Parser) Incomplete() bool { return p.answer.open && !p.answer.finished() || p.cut }

// Torn reports whether Flush found that the last lines are an event that was cut. They counted as ignored when they
// came, since they could have been completed.
func (p *Parser) Torn() bool { return p.torn }

// Dropped counts the pieces of answers that were dropped because an answer was too long.
func (p *Parser) Dropped() int { return p.dropped }

// emit adds an event with the identity of the answer. The pointer is good until the next emit.
func (p *Parser) emit(kind events.Kind) *events.DisplayEvent {
	return lines.Emit(&p.out, &p.head, kind)
}

// key makes a key of an id for a memory, however the id is escaped.
func (p *Parser) key(id scan.Value) uint64 { return p.keys.ID(domainID, id.Body()) }
