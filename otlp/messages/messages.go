package messages

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// messages are what was said to or by a model, in the JSON form of the conventions (gen-ai-input-messages.json and
// gen-ai-output-messages.json, v1.41.0): messages with parts. They take at most limit bytes; what has no room is left out.
type messages struct {
	list []message
	size int
	cut  bool // something has no room
}

// message is a role and its parts.
type message struct {
	role  string
	parts []messagePart
}

// messagePart is one part, as JSON without its end, so that a text can grow.
type messagePart struct {
	kind string
	json []byte
	end  string
}

// Roles and types of the conventions.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
	roleTool      = "tool"

	partText       = "text"
	partReasoning  = "reasoning"
	partToolCall   = "tool_call"
	partToolResult = "tool_call_response"
)

// Room for what encodes a message and a part beside what is in them.
const (
	messageOverhead = 80
	partOverhead    = 80
)

// part adds a part, to the last message if that has the role. fields come before the content, which is the value of key.
func (m *messages) part(role, kind string, limit int, key, content string, fields ...string) {
	room := limit - m.size - partOverhead - messageOverhead
	for _, f := range fields {
		room -= 2 * len(f)
	}
	if room <= 0 {
		m.cut = true
		return
	}
	p := messagePart{kind: kind, json: append([]byte(`{"type":"`), kind...), end: `"}`}
	p.json = append(p.json, `",`...)
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i+1] != "" {
			p.json = append(append(append(p.json, '"'), fields[i]...), `":"`...)
			p.json, _ = appendQuoted(p.json, fields[i+1], 2*len(fields[i+1]))
			p.json = append(p.json, `",`...)
		}
	}
	p.json = append(append(append(p.json, '"'), key...), `":`...)
	if kind == partToolCall && len(content) <= room && utf8.ValidString(content) && json.Valid([]byte(content)) {
		p.json, p.end = append(p.json, content...), "}"
	} else {
		var cut bool
		p.json, cut = appendQuoted(append(p.json, '"'), content, room)
		m.cut = m.cut || cut
	}
	m.size += len(p.json) + len(p.end) + 1
	if n := len(m.list); n == 0 || m.list[n-1].role != role {
		m.list = append(m.list, message{role: role})
		m.size += messageOverhead
	}
	last := &m.list[len(m.list)-1]
	last.parts = append(last.parts, p)
}

// grow adds a piece to the last part, if that is of the role and kind, and reports whether it is.
func (m *messages) grow(role, kind string, limit int, piece string) bool {
	if len(m.list) == 0 || m.list[len(m.list)-1].role != role {
		return false
	}
	parts := m.list[len(m.list)-1].parts
	last := &parts[len(parts)-1]
	if last.kind != kind {
		return false
	}
	before := len(last.json)
	var cut bool
	last.json, cut = appendQuoted(last.json, piece, limit-m.size)
	m.size, m.cut = m.size+len(last.json)-before, m.cut || cut
	return true
}

// appendQuoted appends s as the inside of a JSON string, as much of it as takes at most room bytes.
func appendQuoted(dst []byte, s string, room int) (_ []byte, cut bool) {
	const hex = "0123456789abcdef"
	end := len(dst) + max(room, 0)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		before := len(dst)
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r == 0: // no text has one
		case r < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
		if len(dst) > end {
			return dst[:before], true
		}
		i += n
	}
	return dst, false
}

// encode gives the messages as JSON. finish is why an output ended; an input has none.
func (m *messages) encode(finish string) string {
	buf := make([]byte, 0, m.size+16)
	buf = append(buf, '[')
	for i := range m.list {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(append(append(buf, `{"role":"`...), m.list[i].role...), `","parts":`...)
		buf = m.list[i].encodeParts(buf)
		if finish != "" {
			buf = append(append(append(buf, `,"finish_reason":"`...), finish...), '"')
		}
		buf = append(buf, '}')
	}
	return string(append(buf, ']'))
}

func (m *message) encodeParts(buf []byte) []byte {
	buf = append(buf, '[')
	for i := range m.parts {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(append(buf, m.parts[i].json...), m.parts[i].end...)
	}
	return append(buf, ']')
}

// encodeTo gives the messages as JSON, if there are any, and notes whether something is missing.
func (m *messages) encodeTo(text *string, truncated *bool, finish string) {
	if len(m.list) > 0 {
		*text = m.encode(finish)
		*truncated = *truncated || m.cut
	}
}

// Conversation is what an agent and its model said to each other, with [otlp.CaptureSettings.Messages]: what the model is to answer, and
// its answer.
type Conversation struct {
	system messages // what the program said before the first prompt
	prompt messages // what the agent was asked
	input  messages // since the last answer
	output messages // since the last input
	worked bool     // the model said something
}

// Size is what it holds, in bytes.
func (t *Conversation) Size() int {
	return t.system.size + t.prompt.size + t.input.size + t.output.size
}

// Exchange is the part of a conversation that one model call is.
type Exchange struct{ system, input, output messages }

// Finish reasons of the conventions.
const (
	finishStop     = "stop"
	finishToolCall = "tool_call"
	finishLength   = "length"
	finishFilter   = "content_filter"
)

// finishOf is why a model message ended, as what is in it shows, and what made its run fail.
func finishOf(out *messages, cause events.Cause) string {
	switch cause {
	case events.CauseMaxOutputTokens:
		return finishLength
	case events.CauseContentFilter:
		return finishFilter
	}
	for i := range out.list {
		for j := range out.list[i].parts {
			if out.list[i].parts[j].kind == partToolCall {
				return finishToolCall
			}
		}
	}
	return finishStop
}

// Add adds an event to the conversation. call is the model call that the event is a part of, as far as it was said; nil where
// there is none. Contents take at most limit bytes.
func (t *Conversation) Add(ev *events.DisplayEvent, limit int, call **Exchange) {
	switch ev.Kind {
	case events.KindPrompt:
		if ev.Synthetic && !t.worked && len(t.prompt.list) == 0 {
			t.system.part(roleUser, partText, limit, "content", ev.Text)
			return
		}
		t.input.part(roleUser, partText, limit, "content", ev.Text)
		if !t.worked {
			t.prompt.part(roleUser, partText, limit, "content", ev.Text)
		}
	case events.KindToolResult:
		answer := string(ev.Tool.Output)
		if answer == "" {
			answer = ev.Tool.Err
		}
		t.input.part(roleTool, partToolResult, limit, "response", answer, "id", ev.Tool.ID)
	default:
		t.answer(ev, limit, call)
	}
}

// Skip notes that there is no room for what comes.
func (t *Conversation) Skip() { t.input.cut, t.output.cut = true, true }

// Says reports whether an event is part of what is said to a model or by it.
func Says(ev *events.DisplayEvent) bool {
	switch ev.Kind {
	case events.KindPrompt:
		return ev.Text != ""
	case events.KindText, events.KindReasoning:
		return ev.Text != "" && !ev.Synthetic
	case events.KindToolUse, events.KindToolResult:
		return true
	default:
		return false
	}
}

// answer adds a part of an answer.
func (t *Conversation) answer(ev *events.DisplayEvent, limit int, call **Exchange) {
	goesOn := call != nil && *call != nil // results of its first calls may come before its last ones
	if call != nil && !goesOn {
		*call = &Exchange{system: t.system, input: t.input}
	}
	if !goesOn && (len(t.input.list) > 0 || !t.worked) { // it is the first of the answer
		t.input, t.output, t.worked = messages{}, messages{}, true
	}
	t.output.answer(ev, limit)
	if call != nil {
		(*call).output.answer(ev, limit)
	}
}

// answer adds a part of an answer.
func (m *messages) answer(ev *events.DisplayEvent, limit int) {
	kind, content := partText, ev.Text
	switch ev.Kind {
	case events.KindToolUse:
		m.part(roleAssistant, partToolCall, limit, "arguments", string(ev.Tool.Input), "id", ev.Tool.ID, "name", otlp.ToolName(ev.Tool.Name))
		return
	case events.KindReasoning:
		kind = partReasoning
	}
	if ev.Delta && m.grow(roleAssistant, kind, limit, content) {
		return
	}
	m.part(roleAssistant, kind, limit, "content", content)
}

// Messages are what was said in a model call; nil without any. cause is what made its run fail, if that did.
func (x *Exchange) Messages(cause events.Cause) *otlp.Messages {
	if x == nil {
		return nil
	}
	return x.encode(finishOf(&x.output, cause))
}

// encode gives the three parts, and why the output ended.
func (x *Exchange) encode(finish string) *otlp.Messages {
	all := &otlp.Messages{Truncated: x.system.cut}
	if len(x.system.list) > 0 {
		all.System = string(x.system.list[0].encodeParts(nil))
	}
	x.input.encodeTo(&all.Input, &all.Truncated, "")
	x.output.encodeTo(&all.Output, &all.Truncated, finish)
	if len(x.output.list) > 0 {
		all.Finish = finish
	}
	return all
}

// Messages are what an agent was asked, and its last answer; nil without any. Nobody knows why an answer ended that was cut
// short.
func (t *Conversation) Messages(outcome events.Outcome, cause events.Cause) *otlp.Messages {
	if t == nil {
		return nil
	}
	x, finish := Exchange{system: t.system, input: t.prompt, output: t.output}, ""
	if outcome == events.OutcomeOK || outcome == events.OutcomeError {
		finish = finishOf(&t.output, cause)
	}
	return x.encode(finish)
}
