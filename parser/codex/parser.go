package codex

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/decode"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Name is the provider's name in settings and on the command line.
const Name = "codex"

// Parser reads one stream or rollout; see the package doc for what it remembers.
type Parser struct {
	decode.Decoder
	record record

	quoted scan.Quoted  // over arguments that are JSON in a string
	input  []byte       // backs Tool.Input where the line has them so, and p.args
	args   scan.Members // members of a call's arguments

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
		Decoder: decode.New(),
		shown:   memory.New[struct{}](maxMessages),
		prompts: memory.New[int](maxPrompts),
		usage:   usage{responses: memory.New[struct{}](maxResponses)},
	}
	p.Identify = p.identify
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

// Parse reads one line. A line may hold several objects, one behind the other without a newline between them; each is
// treated as a line of its own.
func (p *Parser) Parse(line []byte) decode.Result {
	p.Begin()
	p.input = lines.Buffer(p.input)
	for line = lines.Trim(line); len(line) > 0; line = lines.Trim(line) {
		p.Scanner.Reset(line)
		if p.Scanner.Peek() != scan.KindObject || !p.record.read(&p.Scanner) {
			p.Verdict.Note(events.LineMalformed)
			break
		}
		line = p.Scanner.Rest()
		p.NextObject()
		p.Verdict.Note(p.dispatch(&p.record))
	}
	return p.Result()
}

// State returns what the stream holds. It is incomplete if a turn has begun whose end has not come. E1 and E2 promise no
// end, and rollouts have turns only.
func (p *Parser) State() decode.State { return decode.State{Incomplete: p.open} }

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

// identify fills in the head of an object's events.
func (p *Parser) identify() {
	p.Head = lines.Head{
		Time:      lines.Moment(p.record.timestamp.Time()),
		SessionID: p.thread.session,
		AgentID:   p.thread.agent,
		TurnID:    p.thread.turn,
	}
}

// emitModel adds an event of what the model said or called.
func (p *Parser) emitModel(kind events.Kind, item scan.Value) *events.DisplayEvent {
	e := p.Emit(kind)
	e.ItemID, e.Model, e.MessageID = p.Strings.Text(item), p.thread.model, p.response
	return e
}
