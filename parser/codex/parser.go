package codex

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Name is the provider's name in settings and on the command line.
const Name = "codex"

// Parser reads one stream or rollout. It implements events.DisplayEventSource, events.LineStatuser,
// events.InputDropper and events.OutputDropper; see the package doc for what it remembers.
type Parser struct {
	scanner scan.Scanner // over the line, then over values in it that were kept whole
	record  record
	strings scan.Strings
	keys    memory.Keys

	out     []events.DisplayEvent
	output  lines.Output // backs Tool.Output
	quoted  scan.Quoted  // over arguments that are JSON in a string
	input   []byte       // backs Tool.Input where the line has them so, and p.args
	scratch []byte       // texts that nobody keeps
	nested  scan.Members // members of a nested object
	args    scan.Members // members of a call's arguments
	verdict lines.Verdict

	dropInput bool

	// head holds the identity that all events of a record share; it is made with the first of them.
	head   lines.Head
	headed bool

	thread thread
	replay replay
	calls  memory.Memory[call]
	callID lines.Again
	agents memory.Memory[agentRun]
	// shown are the ids of messages that a UI was sent; see message.
	shown memory.Memory[struct{}]
	// prompts holds, by text, how many more response items than events had it.
	prompts memory.Memory[int]

	usage    usage
	response string // the model response that the next items belong to
	answer   string // the last text of a stream's turn
	open     bool   // a stream that lacks the end of what it began
	// turns shows that ends of turns are marked; compacted, that the turn at work made the conversation shorter.
	turns, compacted bool
}

// thread is the identity of what is read.
type thread struct {
	id      string // of the thread itself; a rollout is one thread
	session string // of the root thread: all its sub-agents share it
	agent   string // the thread's id again, if it is a sub-agent's
	turn    string // of the root thread's turn that is at work
	model   string
	forked  bool
	// paginated marks a rollout that marks which messages were shown, and counts each response by itself (R4).
	paginated bool
	// created is when the thread began.
	created time.Time
}

// New returns a parser for one stream.
func New() *Parser {
	p := &Parser{
		keys:    memory.NewKeys(),
		shown:   memory.New[struct{}](maxMessages),
		prompts: memory.New[int](maxPrompts),
		usage:   usage{responses: memory.New[struct{}](maxResponses)},
	}
	p.record.makeRoom()
	p.begins(thread{})
	return p
}

// begins makes t the thread that is read. Nothing of the one before goes on in it: item ids of streams count anew, and
// so do tokens.
func (p *Parser) begins(t thread) {
	p.thread, p.replay = t, replay{}
	p.calls, p.agents = memory.New[call](maxCalls), memory.New[agentRun](maxAgents)
	p.usage.total, p.usage.known = events.Tokens{}, false
	p.response, p.answer, p.open, p.turns, p.compacted = "", "", false, false, false
}

// ParseEvents takes one line. A line may hold several objects, one behind the other without a newline between them; each
// is treated as a line of its own.
func (p *Parser) ParseEvents(line []byte) []events.DisplayEvent {
	p.output.Reset()
	p.input, p.scratch = lines.Buffer(p.input), lines.Buffer(p.scratch)
	p.out, p.verdict = lines.Events(p.out), lines.Verdict{Status: events.LineIgnored}
	for line = lines.Trim(line); len(line) > 0; line = lines.Trim(line) {
		p.scanner.Reset(line)
		if p.scanner.Peek() != scan.KindObject || !p.record.read(&p.scanner) {
			p.verdict.Note(events.LineMalformed)
			return p.out
		}
		line = p.scanner.Rest()
		p.headed = false
		p.verdict.Note(p.dispatch(&p.record))
	}
	return p.out
}

// DropInput drops the arguments of calls from now on, see [events.InputDropper].
func (p *Parser) DropInput() { p.dropInput = true }

// DropOutput drops the texts of results from now on, see [events.OutputDropper].
func (p *Parser) DropOutput() { p.output.Drop() }

// LineStatus is the status of the last line. Of several objects on one line the most informative counts: malformed,
// then understood, then unknown.
func (p *Parser) LineStatus() events.LineStatus { return p.verdict.Status }

// UnknownType names the type that made the last line's status LineUnknownType, such as "response_item/new_thing".
func (p *Parser) UnknownType() string { return p.verdict.Unknown }

// Incomplete reports whether the stream began a turn whose end has not come. E1 and E2 promise no end, and rollouts have
// turns only.
func (p *Parser) Incomplete() bool { return p.open }

// dispatch turns one whole record into events. The forms may follow each other in one file: a log that two versions
// wrote, a rollout that a newer version goes on with.
func (p *Parser) dispatch(r *record) events.LineStatus {
	switch {
	case r.hasMsg:
		return p.message(r)
	case r.hasPayload:
		return p.rolloutLine(r)
	case r.kind.Kind != scan.KindString:
		return p.headLine(r)
	case isStreamKind(r.kind.Body()):
		return p.streamLine(r)
	default: // R1: the items are bare
		return p.responseItem(r, r.kind.Body(), r.top)
	}
}

// unknownType notes a type that a later version may have brought.
func (p *Parser) unknownType(prefix string, kind []byte) events.LineStatus {
	p.verdict.Unknown = lines.TypeName(prefix, kind)
	return events.LineUnknownType
}

// emit adds an event with the identity of the record that is being read. The pointer is good until the next emit.
func (p *Parser) emit(kind events.Kind) *events.DisplayEvent {
	if !p.headed {
		p.headed = true
		p.head = lines.Head{
			Time:      lines.Moment(p.record.timestamp.Time()),
			SessionID: p.thread.session,
			AgentID:   p.thread.agent,
			TurnID:    p.thread.turn,
		}
	}
	return lines.Emit(&p.out, &p.head, kind)
}

// emitModel adds an event of what the model said or called.
func (p *Parser) emitModel(kind events.Kind, item scan.Value) *events.DisplayEvent {
	e := p.emit(kind)
	e.ItemID, e.Model, e.MessageID = p.strings.Text(item), p.thread.model, p.response
	return e
}

// notice adds word from the program itself.
func (p *Parser) notice(level events.Level, code, text string) {
	e := p.emit(events.KindNotice)
	e.Notice = events.Notice{Level: level, Code: code}
	e.Text = text
}
