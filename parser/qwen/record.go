package qwen

import "github.com/tailspan/tailspan/parser/internal/scan"

// block is one element of message.content (stream) or of message.parts (transcript).
type block struct {
	kind scan.Value // of the stream; the keys of a part show what it is

	text              scan.Value // text, or thinking
	thought           bool
	id, name          scan.Value
	input             scan.Value // of a call
	args              scan.Members
	toolUseID         scan.Value // of a result
	isError           scan.Value
	content           scan.Value   // of a result: a string, or an array of blocks
	texts             []scan.Value // the texts of that array
	call, response    bool         // functionCall, functionResponse
	failure, answered scan.Value   // functionResponse.response.error and output
}

// record is one object of a line as raw spans: nothing is judged while it is read, since its end may be missing.
type record struct {
	kind, subtype, uuid, session, parent, timestamp scan.Value

	messageID, model, usage, contentText scan.Value
	hasMessage, hasParts                 bool
	blocks                               []block
	rest                                 scan.Members
	details                              scan.Members // of toolCallResult, the transcript's own form of a result
	camel                                bool         // a transcript: sessionId

	args  scan.Members // backs blocks[].args
	texts []scan.Value // backs blocks[].texts
}

// keepBlocks is the number of blocks, arguments or texts from which their memory is not kept for the next line.
const keepBlocks = 1 << 10

// reset empties r and keeps its memory.
func (r *record) reset() {
	if cap(r.blocks) > keepBlocks || cap(r.args) > keepBlocks || cap(r.texts) > keepBlocks {
		r.blocks, r.args, r.texts = nil, nil, nil
	}
	*r = record{blocks: r.blocks[:0], rest: r.rest[:0], details: r.details[:0], args: r.args[:0], texts: r.texts[:0]}
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
			r.session, r.camel = s.Value(), true
		case "parent_tool_use_id":
			r.parent = s.Value()
		case "timestamp":
			r.timestamp = s.Value()
		case "message":
			r.readMessage(s)
		case "toolCallResult":
			r.details = s.Members(r.details[:0])
		case "model":
			if v := s.Value(); !r.hasMessage || r.model.Kind != scan.KindString {
				r.model = v
			}
		default:
			r.rest = s.Keep(r.rest)
		}
	}
	return s.Err() == nil
}

func (r *record) readMessage(s *scan.Scanner) {
	if s.Peek() != scan.KindObject {
		s.Skip()
		return
	}
	r.hasMessage = true
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "id":
			r.messageID = s.Value()
		case "model":
			r.model = s.Value()
		case "usage":
			r.usage = s.Value()
		case "content":
			r.readBlocks(s)
		case "parts":
			r.hasParts = true
			r.readBlocks(s)
		default:
			s.Skip()
		}
	}
}

func (r *record) readBlocks(s *scan.Scanner) {
	if s.Peek() != scan.KindArray {
		r.contentText = s.Value()
		return
	}
	for s.Array(); s.Element(); {
		r.readBlock(s)
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
		case "text", "thinking":
			b.text = s.Value()
		case "thought":
			b.thought = s.Value().True()
		case "id":
			b.id = s.Value()
		case "name":
			b.name = s.Value()
		case "tool_use_id":
			b.toolUseID = s.Value()
		case "is_error":
			b.isError = s.Value()
		case "input":
			r.readInput(s, b)
		case "content":
			r.readContent(s, b)
		case "functionCall":
			b.call = r.readCall(s, b)
		case "functionResponse":
			b.response = r.readCall(s, b)
		default:
			s.Skip()
		}
	}
}

// readCall takes a functionCall or a functionResponse.
func (r *record) readCall(s *scan.Scanner, b *block) bool {
	if s.Peek() != scan.KindObject {
		s.Skip()
		return false
	}
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "id":
			b.id = s.Value()
		case "name":
			b.name = s.Value()
		case "args":
			r.readInput(s, b)
		case "response":
			r.readAnswer(s, b)
		default:
			s.Skip()
		}
	}
	return true
}

func (r *record) readAnswer(s *scan.Scanner, b *block) {
	if s.Peek() != scan.KindObject {
		b.answered = s.Value()
		return
	}
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "error":
			b.failure = s.Value()
		case "output":
			b.answered = s.Value()
		default:
			s.Skip()
		}
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

// readContent takes the content of a result: a string, or an array of blocks, of which the texts count.
func (r *record) readContent(s *scan.Scanner, b *block) {
	if s.Peek() != scan.KindArray {
		b.content = s.Value()
		return
	}
	from := len(r.texts)
	for s.Array(); s.Element(); {
		if s.Peek() != scan.KindObject {
			if v := s.Value(); v.Kind == scan.KindString {
				r.texts = append(r.texts, v)
			}
			continue
		}
		for s.Object(); s.Key(); {
			if string(s.Name()) != "text" {
				s.Skip()
			} else if v := s.Value(); v.Kind == scan.KindString {
				r.texts = append(r.texts, v)
			}
		}
	}
	b.texts = r.texts[from:len(r.texts):len(r.texts)]
}
