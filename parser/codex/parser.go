package codex

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/decode"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Name is the provider's name in settings and on the command line.
const Name = "codex"

// Parser reads one stream or rollout; see the package doc for what it remembers.
type Parser struct {
	line
	threads     threads
	rollout     rollout
	stream      stream
	responses   responses
	completions completions
	calls       calls
	arguments   arguments
	outputs     outputs
	agents      agents
	prompts     prompts
	ledger      ledger
}

// line is what the parts of a parser share: the memory of the line at work, and the thread that it belongs to.
type line struct {
	decode.Decoder
	record record
	callID lines.Again
	// shown are the ids of messages that a UI was sent; see message.
	shown memory.Table[struct{}]

	thread thread
	replay replay
	turn
}

// turn is what is at work in a thread.
type turn struct {
	response string // the model response that the next items belong to
	answer   string // the last text of a stream's turn
	open     bool   // a stream lacks the end of what it began
	marked   bool   // ends of turns are marked
	// compacted shows that the turn made the conversation shorter.
	compacted bool
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
	p := &Parser{line: line{Decoder: decode.New(), shown: memory.NewTable[struct{}](maxMessages)}}
	l := &p.line
	l.Identify = l.identify
	l.record.makeRoom()
	p.arguments.line, p.outputs.line = l, l
	p.calls.line = l
	p.agents = agents{line: l, calls: &p.calls}
	p.prompts = prompts{line: l, byText: memory.NewTable[int](maxPrompts)}
	p.ledger = ledger{line: l, totals: totals{responses: memory.NewTable[struct{}](maxResponses)}}
	p.threads = threads{line: l, calls: &p.calls, agents: &p.agents, ledger: &p.ledger}
	p.stream = stream{
		line: l, threads: &p.threads, calls: &p.calls, arguments: &p.arguments, outputs: &p.outputs, agents: &p.agents, ledger: &p.ledger,
	}
	p.responses = responses{
		line: l, calls: &p.calls, arguments: &p.arguments, outputs: &p.outputs, agents: &p.agents, prompts: &p.prompts,
	}
	p.completions = completions{line: l, calls: &p.calls, arguments: &p.arguments, outputs: &p.outputs, agents: &p.agents}
	p.rollout = rollout{
		line: l, threads: &p.threads, calls: &p.calls, responses: &p.responses, completions: &p.completions, prompts: &p.prompts,
		ledger: &p.ledger,
	}
	p.threads.begins(thread{})
	return p
}

// Parse reads one line. A line may hold several objects, one behind the other without a newline between them; each is
// treated as a line of its own.
func (p *Parser) Parse(line []byte) decode.Result {
	p.Begin()
	p.arguments.input = lines.Buffer(p.arguments.input)
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
		return p.rollout.rolloutLine(r)
	case r.kind.Kind != scan.KindString:
		return p.rollout.headLine(r)
	case isStreamKind(r.kind.Body()):
		return p.stream.streamLine(r)
	default: // R1: the items are bare
		return p.responses.responseItem(r, r.kind.Body(), r.top)
	}
}

// identify fills in the head of an object's events.
func (l *line) identify() {
	l.Head = lines.Head{
		Time:      lines.Moment(l.record.timestamp.Time()),
		SessionID: l.thread.session,
		AgentID:   l.thread.agent,
		TurnID:    l.thread.turn,
	}
}

// emitModel adds an event of what the model said or called.
func (l *line) emitModel(kind events.Kind, item scan.Value) *events.DisplayEvent {
	e := l.Emit(kind)
	e.ItemID, e.Model, e.MessageID = l.Strings.Text(item), l.thread.model, l.response
	return e
}

// toolName is the name as written, without control sequences.
func (l *line) toolName(v scan.Value) string { return events.CleanLine(l.Strings.Intern(v), 0) }

// setModel notes the model that the next lines are of.
func (l *line) setModel(v scan.Value) {
	if len(v.Body()) > 0 {
		l.thread.model = l.Strings.Intern(v)
	}
}
