package opencode

import "github.com/tailspan/tailspan/parser/internal/scan"

// span is the object time of parts, tool states and messages, in milliseconds since 1970.
type span struct {
	there              bool
	start, end         scan.Value // of parts and states
	created, completed scan.Value // of messages and sessions
}

func (t *span) read(s *scan.Scanner) {
	if !scan.Enter(s) {
		return
	}
	t.there = true
	for s.Key() {
		switch string(s.Name()) {
		case "start":
			t.start = s.Value()
		case "end":
			t.end = s.Value()
		case "created":
			t.created = s.Value()
		case "completed":
			t.completed = s.Value()
		default:
			s.Skip()
		}
	}
}

// part is one part of a message as raw spans, whatever its type. All forms of the format share it.
type part struct {
	taken bool // it was read since it was empty

	kind, id, messageID, sessionID scan.Value

	text, synthetic, ignored scan.Value // text, reasoning
	time                     span
	continued                scan.Value // metadata.compaction_continue

	tool, callID scan.Value
	state        toolState

	reason, cost scan.Value // step-finish
	tokens       tokens

	prompt     scan.Value // subtask
	compaction compaction
	attempt    scan.Value // retry
	failure    scan.Value
}

// compaction is why a conversation was made shorter.
type compaction struct{ auto, overflow scan.Value }

// toolState is the state of a call.
type toolState struct {
	status, input, output, failure scan.Value
	args                           scan.Members // of input
	time                           span

	exit, truncated, child, interrupted scan.Value // metadata
	lineStart, lineEnd                  scan.Value // metadata.display
}

// reset empties p and keeps its memory.
func (p *part) reset() {
	args := p.state.args[:0]
	*p = part{} // in place: a literal with args in it is made apart and copied, a kilobyte and a half each line
	p.state.args = args
}

// read takes one part from s.
func (p *part) read(s *scan.Scanner) {
	if p.taken { // an export holds many parts
		p.reset()
	}
	p.taken = true
	if !scan.Enter(s) {
		return
	}
	for s.Key() {
		switch string(s.Name()) {
		case "type":
			p.kind = s.Value()
		case "id":
			p.id = s.Value()
		case "messageID":
			p.messageID = s.Value()
		case "sessionID":
			p.sessionID = s.Value()
		case "text":
			p.text = s.Value()
		case "synthetic":
			p.synthetic = s.Value()
		case "ignored":
			p.ignored = s.Value()
		case "time":
			p.time.read(s)
		case "metadata":
			p.readMetadata(s)
		case "tool":
			p.tool = s.Value()
		case "callID":
			p.callID = s.Value()
		case "state":
			p.state.read(s)
		case "reason":
			p.reason = s.Value()
		case "cost":
			p.cost = s.Value()
		case "tokens":
			p.tokens.read(s)
		case "prompt":
			p.prompt = s.Value()
		case "auto":
			p.compaction.auto = s.Value()
		case "overflow":
			p.compaction.overflow = s.Value()
		case "attempt":
			p.attempt = s.Value()
		case "error":
			p.failure = s.Value()
		default:
			s.Skip()
		}
	}
}

func (p *part) readMetadata(s *scan.Scanner) {
	if !scan.Enter(s) {
		return
	}
	for s.Key() {
		if string(s.Name()) == "compaction_continue" {
			p.continued = s.Value()
		} else {
			s.Skip()
		}
	}
}

func (st *toolState) read(s *scan.Scanner) {
	if !scan.Enter(s) {
		return
	}
	for s.Key() {
		switch string(s.Name()) {
		case "status":
			st.status = s.Value()
		case "input":
			st.readInput(s)
		case "output":
			st.output = s.Value()
		case "error":
			st.failure = s.Value()
		case "time":
			st.time.read(s)
		case "metadata":
			st.readMetadata(s)
		default:
			s.Skip()
		}
	}
}

func (st *toolState) readInput(s *scan.Scanner) {
	st.args = st.args[:0]
	if s.Peek() != scan.KindObject {
		st.input = s.Value()
		return
	}
	start := s.Offset()
	for s.Object(); s.Key(); {
		st.args = s.Keep(st.args)
	}
	st.input = scan.Value{Kind: scan.KindObject, Raw: s.Since(start)}
}

// readMetadata reads what the tool itself reported. Most of it repeats the output.
func (st *toolState) readMetadata(s *scan.Scanner) {
	if !scan.Enter(s) {
		return
	}
	for s.Key() {
		switch string(s.Name()) {
		case "exit":
			st.exit = s.Value()
		case "truncated":
			st.truncated = s.Value()
		case "sessionId":
			st.child = s.Value()
		case "interrupted":
			st.interrupted = s.Value()
		case "display":
			st.readDisplay(s)
		default:
			s.Skip()
		}
	}
}

func (st *toolState) readDisplay(s *scan.Scanner) {
	if !scan.Enter(s) {
		return
	}
	for s.Key() {
		switch string(s.Name()) {
		case "lineStart":
			st.lineStart = s.Value()
		case "lineEnd":
			st.lineEnd = s.Value()
		default:
			s.Skip()
		}
	}
}
