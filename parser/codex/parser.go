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

// Parser parses one stream or rollout. The package document lists what it remembers.
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

// line is what the parts of a parser share: the memory of the current line, and the thread that it belongs to.
type line struct {
	decode.Decoder
	record record
	callID lines.Again
	// shown holds the IDs of messages that were sent to a UI; see message.
	shown memory.Table[struct{}]

	thread thread
	replay replay
	turn
}

// turn is the state of the current turn of a thread.
type turn struct {
	response string // model response that the next items belong to
	answer   string // last text of a stream's turn
	open     bool   // the stream lacks the end of something that it began
	marked   bool   // the ends of turns are marked
	// compacted is true if the turn compacted the conversation.
	compacted bool
}

// thread identifies the thread that is being read.
type thread struct {
	id      string // the thread itself; a rollout is one thread
	session string // the root thread, which all its sub-agents share
	agent   string // the thread's ID again, if it is a sub-agent's
	turn    string // the current turn of the root thread
	model   string
	forked  bool
	// paginated marks a rollout that says which messages were shown and reports the usage of each response (R4).
	paginated bool
	// working is true once a line of its own was read. Copied history precedes these.
	working bool
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

// Parse parses one line. A line may hold several objects without a newline between them; each is treated as a
// separate line.
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

// State returns what the stream keeps between lines. It is incomplete if a turn has begun and its end is missing. E1 and
// E2 promise no end, and rollouts only have turns.
func (p *Parser) State() decode.State { return decode.State{Incomplete: p.open} }

// dispatch converts one whole record to events. Forms may follow one another in a file: a log written by two
// versions, or a rollout that a newer version continues.
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
	default: // R1: bare items
		return p.responses.responseItem(r, r.kind.Body(), r.top)
	}
}

// identify sets the head of an object's events.
func (l *line) identify() {
	l.Head = lines.Head{
		Time:      lines.Moment(l.record.timestamp.Time()),
		SessionID: l.thread.session,
		AgentID:   l.thread.agent,
		TurnID:    l.thread.turn,
	}
}

// emitModel adds an event for something that the model said or called.
func (l *line) emitModel(kind events.Kind, item scan.Value) *events.DisplayEvent {
	e := l.Emit(kind)
	e.ItemID, e.Model, e.MessageID = l.Strings.Text(item), l.thread.model, l.response
	return e
}

// toolName returns the name as written, without control sequences.
func (l *line) toolName(v scan.Value) string { return events.CleanLine(l.Strings.Intern(v), 0) }

// setModel records the model of the next lines.
func (l *line) setModel(v scan.Value) {
	if len(v.Body()) > 0 {
		l.thread.model = l.Strings.Intern(v)
	}
}
