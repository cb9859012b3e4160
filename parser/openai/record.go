package openai

import "github.com/tailspan/tailspan/parser/internal/scan"

// part is one element of a message's content, if that is an array.
type part struct {
	kind, text, thinking, refusal scan.Value
}

// fragment is one entry of tool_calls, or function_call: a whole call in a whole message, a piece of one in a delta.
type fragment struct {
	index, id, name, args scan.Value
	legacy                bool // function_call
}

// message is a message or a delta as raw spans. Reasoning has many names; a server uses one of them, or several for the
// same text.
type message struct {
	there            bool
	content          scan.Value // if it is no array
	parts            []part
	refusal          scan.Value
	transcript       scan.Value // audio.transcript
	role             scan.Value
	reasoningContent scan.Value
	reasoning        scan.Value
	thinking         scan.Value
	reasoningDetails scan.Value
	thinkingBlocks   scan.Value
	contentBlocks    scan.Value
	calls            []fragment
}

// choice is one element of choices.
type choice struct {
	index, finish, failure scan.Value
	place                  int64 // index, or the place in choices if there is none
	whole, delta           message
}

// record is one object as raw spans: nothing is judged while it is read, since what it is may come last and its end may
// be missing.
type record struct {
	content

	choices   []choice
	output    []scan.Members
	response  *record      // of response.*; nil in that record itself
	rest      scan.Members // all other members
	counted   usage        // what usage holds, if it is an object
	parts     []part       // backs parts
	fragments []fragment   // backs calls
	members   scan.Members // backs output and item
}

// content is what a record holds but for its memory.
type content struct {
	id, object, kind, created, model, usage, failure scan.Value

	hasChoices bool // choices is there, be it null
	hasOutput  bool
	item       scan.Members // of response.output_item.*
	message    message      // of Ollama's own API
	messageRaw scan.Value
	responded  bool // response is there
}

// reset empties r and keeps its memory.
func (r *record) reset() {
	r.content = content{}
	r.choices, r.output, r.rest = r.choices[:0], r.output[:0], r.rest[:0]
	r.parts, r.fragments, r.members = r.parts[:0], r.fragments[:0], r.members[:0]
}

// read takes one object from s. It reports false if the object is malformed; r is then of no use.
func (r *record) read(s *scan.Scanner) bool {
	r.reset()
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "id":
			r.id = s.Value()
		case "object":
			r.object = s.Value()
		case "type":
			r.kind = s.Value()
		case "created", "created_at":
			r.created = s.Value()
		case "model":
			r.model = s.Value()
		case "usage":
			r.readUsage(s)
		case "error":
			r.failure = s.Value()
		case "choices":
			r.readChoices(s)
		case "output":
			r.readOutput(s)
		case "item":
			r.item = r.readItem(s)
		case "message":
			r.readOwnMessage(s)
		case "response":
			r.readResponse(s)
		default:
			r.rest = s.Keep(r.rest)
		}
	}
	return s.Err() == nil
}

// readResponse takes the response that an event of a Responses stream repeats.
func (r *record) readResponse(s *scan.Scanner) {
	if r.response == nil || s.Peek() != scan.KindObject {
		s.Skip()
		return
	}
	r.responded = r.response.read(s)
}

func (r *record) readOwnMessage(s *scan.Scanner) {
	if s.Peek() != scan.KindObject {
		r.messageRaw = s.Value()
		return
	}
	start := s.Offset()
	r.readMessage(s, &r.message)
	r.messageRaw = scan.Value{Kind: scan.KindObject, Raw: s.Since(start)}
}

func (r *record) readOutput(s *scan.Scanner) {
	r.hasOutput = s.Peek() == scan.KindArray
	if !r.hasOutput { // a string or an object in some error bodies
		s.Skip()
		return
	}
	for s.Array(); s.Element(); {
		if item := r.readItem(s); item != nil {
			r.output = append(r.output, item)
		}
	}
}

// readItem takes one item of a response; nil if it is no object.
func (r *record) readItem(s *scan.Scanner) scan.Members {
	if s.Peek() != scan.KindObject {
		s.Skip()
		return nil
	}
	from := len(r.members)
	r.members = s.Members(r.members)
	return r.members[from:len(r.members):len(r.members)]
}

func (r *record) readChoices(s *scan.Scanner) {
	r.hasChoices = true
	if s.Peek() != scan.KindArray {
		s.Skip()
		return
	}
	for s.Array(); s.Element(); {
		if s.Peek() != scan.KindObject {
			s.Skip()
			continue
		}
		r.choices = append(r.choices, choice{})
		r.readChoice(s, &r.choices[len(r.choices)-1])
	}
}

func (r *record) readChoice(s *scan.Scanner, c *choice) {
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "index":
			c.index = s.Value()
		case "finish_reason":
			c.finish = s.Value()
		case "error":
			c.failure = s.Value()
		case "message":
			r.readMessage(s, &c.whole)
		case "delta":
			r.readMessage(s, &c.delta)
		default:
			s.Skip()
		}
	}
}

func (r *record) readMessage(s *scan.Scanner, m *message) {
	if s.Peek() != scan.KindObject {
		s.Skip()
		return
	}
	m.there = true
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "role":
			m.role = s.Value()
		case "content":
			r.readContent(s, m)
		case "refusal":
			m.refusal = s.Value()
		case "audio":
			readAudio(s, m)
		case "reasoning_content":
			m.reasoningContent = s.Value()
		case "reasoning":
			m.reasoning = s.Value()
		case "thinking":
			m.thinking = s.Value()
		case "reasoning_details":
			m.reasoningDetails = s.Value()
		case "thinking_blocks":
			m.thinkingBlocks = s.Value()
		case "content_blocks":
			m.contentBlocks = s.Value()
		case "tool_calls":
			r.readCalls(s, m)
		case "function_call":
			r.readLegacyCall(s, m)
		default:
			s.Skip()
		}
	}
}

func readAudio(s *scan.Scanner, m *message) {
	if !scan.Enter(s) {
		return
	}
	for s.Key() {
		if string(s.Name()) == "transcript" {
			m.transcript = s.Value()
		} else {
			s.Skip()
		}
	}
}

// readContent takes a string, an array of parts or bare strings, or one part alone.
func (r *record) readContent(s *scan.Scanner, m *message) {
	from := len(r.parts)
	switch s.Peek() {
	case scan.KindArray:
		for s.Array(); s.Element(); {
			r.readPart(s)
		}
	case scan.KindObject:
		r.readPart(s)
	default:
		m.content = s.Value()
	}
	m.parts = r.parts[from:len(r.parts):len(r.parts)]
}

func (r *record) readPart(s *scan.Scanner) {
	var p part
	switch s.Peek() {
	case scan.KindObject:
		for s.Object(); s.Key(); {
			switch string(s.Name()) {
			case "type":
				p.kind = s.Value()
			case "text":
				p.text = s.Value()
			case "thinking":
				p.thinking = s.Value()
			case "refusal":
				p.refusal = s.Value()
			default:
				s.Skip()
			}
		}
	default:
		p.text = s.Value()
	}
	r.parts = append(r.parts, p)
}

func (r *record) readCalls(s *scan.Scanner, m *message) {
	if s.Peek() != scan.KindArray {
		s.Skip()
		return
	}
	from := len(r.fragments)
	for s.Array(); s.Element(); {
		if s.Peek() == scan.KindObject {
			r.fragments = append(r.fragments, readFragment(s))
		} else {
			s.Skip()
		}
	}
	m.calls = append(r.fragments[from:len(r.fragments):len(r.fragments)], m.calls...)
}

func readFragment(s *scan.Scanner) fragment {
	var f fragment
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "index":
			f.index = s.Value()
		case "id":
			f.id = s.Value()
		case "function", "custom":
			readFunction(s, &f)
		default:
			s.Skip()
		}
	}
	return f
}

// readFunction takes a function's name and arguments, or a custom tool's name and input.
func readFunction(s *scan.Scanner, f *fragment) {
	if !scan.Enter(s) {
		return
	}
	for s.Key() {
		switch string(s.Name()) {
		case "name":
			f.name = s.Value()
		case "arguments", "input":
			f.args = s.Value()
		default:
			s.Skip()
		}
	}
}

func (r *record) readLegacyCall(s *scan.Scanner, m *message) {
	if s.Peek() != scan.KindObject {
		s.Skip()
		return
	}
	f := fragment{legacy: true}
	readFunction(s, &f)
	m.calls = append(m.calls, f)
}
