package claude

import "github.com/tailspan/tailspan/parser/internal/scan"

// block is one element of message.content.
type block struct {
	kind, id, name, text, toolUseID, isError, server scan.Value

	// input is the raw object of a call, args are its members.
	input scan.Value
	args  scan.Members

	// content is the body of a result; texts are the texts in it, if it is an array or an object.
	content scan.Value
	texts   []scan.Value
}

// outcome is the content of tool_use_result, the structured side of a result.
type outcome struct {
	status, agentID, backgroundTask, persisted, truncated, lines scan.Value
	resumedAgent, workflow                                       scan.Value
	totalMillis, millis, seconds                                 scan.Value
}

// record is one object of a line as raw spans: nothing is judged while it is read, since its type may come last and its
// end may be missing.
type record struct {
	values
	blocks    []block
	rest      scan.Members // all members that values has no field for
	args      scan.Members // backs blocks[].args
	texts     []scan.Value
	lastUsage []byte // the usage that the last assistant line had
}

// values is what a record holds but for its memory.
type values struct {
	kind, subtype, uuid, session, parent, timestamp, agent scan.Value

	promptID, requestSession, requestID, apiError scan.Value // asked for with each line of the model: rest is searched for each

	message      scan.Value // if it is no object
	messageID    scan.Value
	model        scan.Value
	usage        scan.Value
	stop         scan.Value // message.stop_reason
	contentText  scan.Value // message.content, if it is a string
	outcome      outcome
	camel        bool // a transcript: sessionId
	hasContents  bool // message is an object
	stopped      bool // the message has a stop_reason: it is complete
	resultBlocks int
}

// keepBlocks is the number of blocks, arguments or texts from which their memory is not kept for the next line.
const keepBlocks = 1 << 10

// reset empties r and keeps its memory.
func (r *record) reset() {
	if cap(r.blocks) > keepBlocks || cap(r.args) > keepBlocks || cap(r.texts) > keepBlocks {
		r.blocks, r.args, r.texts = nil, nil, nil
	}
	r.values = values{} // in place: a whole record is made apart and copied, a kilobyte each line
	r.blocks, r.rest, r.args, r.texts = r.blocks[:0], r.rest[:0], r.args[:0], r.texts[:0]
}

// read takes one object from s. It reports false if the object is malformed; r is then of no use.
func (r *record) read(s *scan.Scanner) bool {
	r.reset()
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "type":
			r.kind = s.Value()
		case "subtype":
			r.subtype = s.Value()
		case "uuid":
			r.uuid = s.Value()
		case "session_id":
			r.session = s.Value()
		case "sessionId":
			r.camel = true
			if v := s.Value(); r.session.Kind != scan.KindString {
				r.session = v
			}
		case "parent_tool_use_id":
			r.parent = s.Value()
		case "timestamp":
			r.timestamp = s.Value()
		case "agent_id", "agentId":
			r.agent = s.Value()
		case "message":
			r.readMessage(s)
		case "tool_use_result", "toolUseResult":
			r.readOutcome(s)
		case "promptId":
			r.promptID = s.Value()
		case "requestSessionId":
			r.requestSession = s.Value()
		case "requestId", "request_id":
			if v := s.Value(); len(v.Body()) > 0 {
				r.requestID = v
			}
		case "isApiErrorMessage", "is_api_error_message":
			r.apiError = s.Value()
		default:
			r.rest = s.Keep(r.rest)
		}
	}
	return s.Err() == nil
}

func (r *record) readMessage(s *scan.Scanner) {
	if s.Peek() != scan.KindObject {
		r.message = s.Value() // a string on permission_denied lines
		return
	}
	r.hasContents = true
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "id":
			r.messageID = s.Value()
		case "model":
			r.model = s.Value()
		case "usage":
			r.usage = s.Repeat(r.lastUsage)
		case "stop_reason":
			r.stop = s.Value()
			r.stopped = r.stop.Kind == scan.KindString
		case "content":
			if s.Peek() != scan.KindArray {
				r.contentText = s.Value()
				continue
			}
			for s.Array(); s.Element(); {
				r.readBlock(s)
			}
		default:
			s.Skip()
		}
	}
}

func (r *record) readBlock(s *scan.Scanner) {
	if s.Peek() != scan.KindObject {
		s.Skip()
		return
	}
	r.blocks = append(r.blocks, block{})
	b := &r.blocks[len(r.blocks)-1]
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "type":
			b.kind = s.Value()
		case "id":
			b.id = s.Value()
		case "name":
			b.name = s.Value()
		case "text", "thinking":
			b.text = s.Value()
		case "tool_use_id":
			b.toolUseID = s.Value()
		case "is_error":
			b.isError = s.Value()
		case "server_name":
			b.server = s.Value()
		case "input":
			r.readInput(s, b)
		case "content":
			r.readResultContent(s, b)
		default:
			s.Skip()
		}
	}
	if b.kind.Is("tool_result") {
		r.resultBlocks++
	}
}

func (r *record) readInput(s *scan.Scanner, b *block) {
	if s.Peek() != scan.KindObject {
		b.input = s.Value()
		return
	}
	start, from := s.Offset(), len(r.args)
	r.args = s.Members(r.args)
	b.input = scan.Value{Kind: scan.KindObject, Raw: s.Since(start)}
	b.args = r.args[from:len(r.args):len(r.args)]
}

// readResultContent takes the content of a tool result: a string, an array of blocks, or, for server tools that failed,
// one object.
func (r *record) readResultContent(s *scan.Scanner, b *block) {
	from := len(r.texts)
	switch s.Peek() {
	case scan.KindArray:
		start := s.Offset()
		for s.Array(); s.Element(); {
			r.readResultText(s, b)
		}
		b.content = scan.Value{Kind: scan.KindArray, Raw: s.Since(start)}
	case scan.KindObject:
		start := s.Offset()
		r.readResultText(s, b)
		b.content = scan.Value{Kind: scan.KindObject, Raw: s.Since(start)}
	default:
		b.content = s.Value()
	}
	b.texts = r.texts[from:len(r.texts):len(r.texts)]
}

// readResultText takes one block of a result's content and keeps its text. Images and documents have none.
func (r *record) readResultText(s *scan.Scanner, b *block) {
	if s.Peek() != scan.KindObject {
		if v := s.Value(); v.Kind == scan.KindString {
			r.texts = append(r.texts, v)
		}
		return
	}
	var kind, text, code scan.Value
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "type":
			kind = s.Value()
		case "text":
			text = s.Value()
		case "error_code":
			code = s.Value()
		default:
			s.Skip()
		}
	}
	switch {
	case code.Kind == scan.KindString: // {"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}
		r.texts = append(r.texts, code)
		b.isError = scan.Value{Kind: scan.KindTrue}
	case kind.Is("text") && text.Kind == scan.KindString:
		r.texts = append(r.texts, text)
	}
}

func (r *record) readOutcome(s *scan.Scanner) {
	if s.Peek() != scan.KindObject {
		s.Skip() // "Error: ..." on failures, and what the content says already
		return
	}
	o := &r.outcome
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "status":
			o.status = s.Value()
		case "agentId":
			o.agentID = s.Value()
		case "resumedAgentId":
			o.resumedAgent = s.Value()
		case "runId":
			o.workflow = s.Value()
		case "backgroundTaskId":
			o.backgroundTask = s.Value()
		case "persistedOutputPath":
			o.persisted = s.Value()
		case "truncated":
			o.truncated = s.Value()
		case "totalDurationMs":
			o.totalMillis = s.Value()
		case "durationMs":
			o.millis = s.Value()
		case "durationSeconds":
			o.seconds = s.Value()
		case "numLines":
			o.lines = s.Value()
		case "file":
			r.readFile(s)
		default:
			s.Skip()
		}
	}
}

func (r *record) readFile(s *scan.Scanner) {
	if s.Peek() != scan.KindObject {
		s.Skip()
		return
	}
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "numLines":
			r.outcome.lines = s.Value()
		case "truncatedByTokenCap":
			if v := s.Value(); v.True() {
				r.outcome.truncated = v
			}
		default:
			s.Skip()
		}
	}
}
