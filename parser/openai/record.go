package openai

import (
	"github.com/tailspan/tailspan/parser/internal/fields"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// part is one element of a message's content if that is an array.
type part struct {
	kind, text, thinking, refusal scan.Value
}

// fragment is one entry of tool_calls, or function_call: a whole call in a whole message, a piece of a call in a delta.
type fragment struct {
	index, id, name, args scan.Value
	legacy                bool // function_call
}

// message is a message or a delta as raw spans. Reasoning has many names; a server uses one of them, or several for the
// same text.
type message struct {
	there            bool
	content          scan.Value // if it is not an array
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
	place                  int64 // index, or the position in choices if there is none
	whole, delta           message
}

// record is one object as raw spans. Nothing is interpreted while it is read, since the member that shows its form may
// come last and its end may be missing.
type record struct {
	content

	choices   []choice
	output    []scan.Members
	response  *record      // of response.*; nil in that record itself
	rest      scan.Members // all other members
	parts     []part       // backs parts
	fragments []fragment   // backs calls
	members   scan.Members // backs output and item

	choice                           choice // the current one, and its part
	part                             part
	fields, choiceFields, partFields *fields.Table
}

// content is the content of a record, without its buffers.
type content struct {
	id, object, kind, created, model, usage, failure scan.Value

	hasChoices bool // choices is present, possibly null
	hasOutput  bool
	item       scan.Members // of response.output_item.*
	message    message      // from Ollama's own API
	messageRaw scan.Value
	responded  bool // response is present
}

// reset clears r and keeps its memory.
func (r *record) reset() {
	r.content = content{}
	r.choices, r.output, r.rest = r.choices[:0], r.output[:0], r.rest[:0]
	r.parts, r.fragments, r.members = r.parts[:0], r.fragments[:0], r.members[:0]
}

func newRecord() *record {
	r := new(record)
	r.choiceFields = fields.New(
		"index", &r.choice.index, "finish_reason", &r.choice.finish, "error", &r.choice.failure,
		"message", r.reader(&r.choice.whole), "delta", r.reader(&r.choice.delta),
	)
	r.partFields = fields.New("type", &r.part.kind, "text", &r.part.text, "thinking", &r.part.thinking, "refusal", &r.part.refusal)
	r.fields = fields.New(
		"id", &r.id, "object", &r.object, "type", &r.kind, "created", &r.created, "created_at", &r.created, "model", &r.model,
		"usage", &r.usage, "error", &r.failure, "choices", r.readChoices, "output", r.readOutput,
		"item", func(s *scan.Scanner) { r.item = r.readItem(s) }, "response", r.readResponse, "*", &r.rest,
		"message", r.readOwnMessage(),
	)
	return r
}

// reader returns a function that reads a message or a delta into m.
func (r *record) reader(m *message) func(*scan.Scanner) {
	all := fields.New(
		"role", &m.role, "refusal", &m.refusal, "audio.transcript", &m.transcript, "reasoning_content", &m.reasoningContent,
		"reasoning", &m.reasoning, "thinking", &m.thinking, "reasoning_details", &m.reasoningDetails, "thinking_blocks", &m.thinkingBlocks,
		"content_blocks", &m.contentBlocks, "content", func(s *scan.Scanner) { r.readContent(s, m) },
		"tool_calls", func(s *scan.Scanner) { r.readCalls(s, m) }, "function_call", func(s *scan.Scanner) { r.readLegacyCall(s, m) },
	)
	return func(s *scan.Scanner) { m.there = all.Read(s) || m.there }
}

// read reads one object from s. It returns false if the object is malformed; r is then invalid.
func (r *record) read(s *scan.Scanner) bool {
	r.reset()
	return r.fields.Read(s) && s.Err() == nil
}

func (r *record) readOwnMessage() func(*scan.Scanner) {
	read := r.reader(&r.message)
	return func(s *scan.Scanner) {
		kind, start := s.Peek(), s.Offset()
		read(s)
		r.messageRaw = scan.Value{Kind: kind, Raw: s.Since(start)}
	}
}

// readResponse reads the response that an event of a Responses stream repeats.
func (r *record) readResponse(s *scan.Scanner) {
	if r.response == nil || s.Peek() != scan.KindObject {
		s.Skip()
		return
	}
	r.responded = r.response.read(s)
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

// readItem reads one item of a response. It returns nil if it is not an object.
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
		r.choice = choice{}
		if r.choiceFields.Read(s) {
			r.choices = append(r.choices, r.choice)
		}
	}
}

// readContent reads a string, an array of parts or bare strings, or a single part.
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
	r.part = part{}
	if s.Peek() == scan.KindObject {
		r.partFields.Read(s)
	} else {
		r.part.text = s.Value()
	}
	r.parts = append(r.parts, r.part)
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

// readFunction reads a function's name and arguments, or a custom tool's name and input.
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
