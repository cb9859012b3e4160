package claude

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Name is the provider's name in settings and on the command line.
const Name = "claude"

// Sizes from which the buffers of a line are not kept for the next one.
const (
	keepBytes  = 1 << 20
	keepEvents = 1 << 10
)

// Parser reads one stream or transcript. It implements events.DisplayEventSource, events.LineStatuser,
// events.Flusher and events.OutputDropper; see the package doc for what it remembers.
type Parser struct {
	scanner scan.Scanner // over the line
	inner   scan.Scanner // over values in it that were kept whole
	record  record
	strings scan.Strings
	keys    memory.Keys

	out     []events.DisplayEvent
	output  lines.Output // of results
	scratch []byte       // texts that nobody keeps
	nested  scan.Members // members of a nested object
	verdict lines.Verdict

	// head holds the identity that all events of a record share; it is made with the first of them.
	head   lines.Head
	headed bool

	seen       memory.Memory[struct{}]
	fresh      []uint64 // what this record added to seen
	calls      memory.Memory[call]
	usage      memory.Memory[counted]
	answers    memory.Memory[answer]
	threads    memory.Memory[turns]
	tasks      memory.Memory[taskCalls]
	askers     memory.Memory[string]   // call that started a sub-agent → call that asked it last
	sidechains memory.Memory[string]   // uuid of a sidechain line → id of the call that started it
	prompts    memory.Memory[[]string] // prompt of a Task call → ids of calls whose sidechain was not seen yet

	deltas      deltas
	messageID   string // the last one
	usageOf     string // the message whose usage the last assistant line reported
	usageNth    int    // and which answer under that id
	usageFinal  bool   // and whether it was complete
	words       words
	costs       []modelCost
	forked      bool   // a transcript began with another session's lines, and no cost of its own was seen
	model       string // the last one of the main thread
	cost        float64
	started     string // the session that a SessionStarted was made for
	interrupted bool   // by the user, since the last result
	turn        turn
}

// New returns a parser for one stream.
func New() *Parser {
	return &Parser{
		keys:       memory.NewKeys(),
		seen:       memory.New[struct{}](maxSeen),
		calls:      memory.New[call](maxCalls),
		usage:      memory.New[counted](maxMessages),
		answers:    memory.New[answer](maxMessages),
		threads:    memory.New[turns](maxThreads),
		tasks:      memory.New[taskCalls](maxTasks),
		askers:     memory.New[string](maxTasks),
		sidechains: memory.New[string](maxSidechainLines),
		prompts:    memory.New[[]string](maxTasks),
	}
}

// ParseEvents takes one line. A line may hold several objects, one behind the other without a newline between them, or
// an array of objects; each is treated as a line of its own.
func (p *Parser) ParseEvents(line []byte) []events.DisplayEvent {
	if cap(p.scratch) > keepBytes {
		p.scratch = nil
	}
	if cap(p.out) > keepEvents {
		p.out = nil
	}
	p.output.Reset()
	p.out, p.verdict = p.out[:0], lines.Verdict{Status: events.LineIgnored}
	for line = trim(line); len(line) > 0; line = trim(line) {
		p.scanner.Reset(line)
		switch p.scanner.Peek() {
		case scan.KindObject:
			p.readObject()
		case scan.KindArray:
			p.readArray()
		default:
			p.verdict.Note(events.LineMalformed)
			return p.out
		}
		if p.scanner.Err() != nil {
			p.verdict.Note(events.LineMalformed)
			return p.out
		}
		line = p.scanner.Rest()
	}
	return p.out
}

func (p *Parser) readObject() {
	if p.record.read(&p.scanner) {
		p.dispatch(&p.record)
	}
}

// readArray takes the output form of --output-format json --verbose: all messages in one array.
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
		p.verdict.Note(events.LineMalformed)
	}
}

// DropOutput drops the texts of results from now on, see [events.OutputDropper].
func (p *Parser) DropOutput() { p.output.Drop() }

// LineStatus is the status of the last line. Of several objects on one line the most informative counts: malformed,
// then understood, then unknown.
func (p *Parser) LineStatus() events.LineStatus { return p.verdict.Status }

// Incomplete reports whether the stream began something whose result line has not come. Transcripts have no result.
func (p *Parser) Incomplete() bool { return p.turn.open }

// UnknownType names the type that made the last line's status LineUnknownType, such as "system/new_thing".
func (p *Parser) UnknownType() string { return p.verdict.Unknown }

// dispatch turns one whole record into events.
func (p *Parser) dispatch(r *record) {
	p.headed, p.fresh = false, p.fresh[:0]
	kind := r.kind.Body()
	switch string(kind) {
	case "assistant", "user", "result", "stream_event", "system":
		if r.uuid.Kind == scan.KindString && !p.seen.Add(p.lineKey(r)) {
			p.verdict.Note(events.LineIgnored)
			return
		}
	}
	if r.camel && (string(kind) == "assistant" || string(kind) == "user") {
		// Also where it gives no event: the lines of a sidechain hang on each other.
		p.headed = true
		p.identify(r)
	}
	status := events.LineOK
	switch string(kind) {
	case "assistant":
		p.turn.open = p.turn.open || !r.camel && r.parent.Kind != scan.KindString // a background agent may outlive the run
		p.assistant(r)
	case "user":
		p.user(r)
	case "result":
		p.result(r)
	case "stream_event":
		p.streamEvent(r)
	case "system":
		status = p.system(r)
	case "tool_progress":
		p.toolProgress(r)
	case "rate_limit_event":
		p.rateLimit(r)
	case "cost-state":
		p.costState(r)
	case "attachment":
		status = p.attachment(r)
	case "queue-operation":
		status = p.queue(r)
	default:
		status = p.other(kind)
	}
	p.verdict.Note(status)
}

// other separates bookkeeping from what a later version may have brought. Neither gives events.
func (p *Parser) other(kind []byte) events.LineStatus {
	if !bookkeeping(kind) {
		p.verdict.NoteUnknown(lines.TypeName("", kind))
	}
	return events.LineIgnored
}

// emit adds an event with the identity of the record that is being read. The pointer is good until the next emit.
func (p *Parser) emit(kind events.Kind) *events.DisplayEvent {
	if !p.headed {
		p.headed = true
		p.identify(&p.record)
	}
	p.out = p.head.Append(p.out, kind)
	return &p.out[len(p.out)-1]
}

// identify fills the head of a record's events.
func (p *Parser) identify(r *record) {
	h := &p.head
	h.Time = lines.Moment(r.timestamp.Time())
	h.SessionID, h.ItemID = p.strings.Intern(r.session), p.strings.Text(r.uuid)
	h.AgentID, h.ParentID = p.strings.Intern(r.agent), p.asker(p.strings.Intern(r.parent))
	h.TurnID, h.Copied = "", false
	if r.camel {
		h.TurnID = p.strings.Intern(r.promptID)
		// A fork begins with its parent's lines under its own session id; what the model said keeps the id it was asked under.
		asked := r.requestSession.Body()
		h.Copied = len(asked) > 0 && string(asked) != h.SessionID
		p.forked = p.forked || h.Copied && len(p.costs) == 0
		if h.ParentID == "" {
			h.ParentID = p.sidechain(r)
		}
	}
	h.MessageID, h.Answer = "", 0
	if r.messageID.Kind == scan.KindString {
		h.MessageID = p.sticky(r.messageID)
	}
	h.Model, h.Synthetic = p.strings.Intern(r.model), false
	if h.Model == syntheticModel {
		h.Model, h.Synthetic = "", true
	}
}

// sticky gives a message's id, which comes on line after line, without making it again.
func (p *Parser) sticky(id scan.Value) string {
	if string(id.Body()) != p.messageID {
		p.messageID = p.strings.Text(id)
	}
	return p.messageID
}

// trim takes off what can precede a line's object without being part of it: what precedes it in other formats
// too, a record separator, and the escape sequences that a program sends to what it takes for a terminal.
func trim(line []byte) []byte {
	line = lines.Trim(line)
	for len(line) > 0 && (line[0] < ' ' || line[0] >= 0xc2) {
		// A sequence is short; its payload, a window's title say, a little longer.
		n := events.EscapeLen(string(line[:min(len(line), maxEscapeBytes)]))
		if n == 0 {
			break
		}
		line = lines.Trim(line[n:])
	}
	return line
}

const maxEscapeBytes = 1 << 10
