package messages

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// messages is what was said to or by a model, in the JSON form of the conventions (gen-ai-input-messages.json and
// gen-ai-output-messages.json, v1.41.0): messages with parts. Content beyond a limit in bytes is omitted.
type messages struct {
	list []message
	size int
	cut  bool // something was omitted
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

// Bytes for the encoding of a message and a part, without their content.
const (
	messageOverhead = 80
	partOverhead    = 80
)

// part adds a part, to the last message if that has the same role. fields precede the content, which is the value of key.
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

// grow appends a piece to the last part if that has the role and kind, and reports whether it does.
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

// appendQuoted appends s as the inside of a JSON string, cut to at most room bytes.
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
		case r == 0: // texts never contain NUL
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

// encode returns the messages as JSON. finish is the finish reason of an output, and empty for an input.
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

// encodeTo writes the messages as JSON to text, unless there are none, and sets truncated if something was omitted.
func (m *messages) encodeTo(text *string, truncated *bool, finish string) {
	if len(m.list) > 0 {
		*text = m.encode(finish)
		*truncated = *truncated || m.cut
	}
}

// Conversation is what an agent and its model said to each other, with [otlp.CaptureSettings.Messages]: the input of
// the next model call and the last answer.
type Conversation struct {
	system messages // what the program said before the first prompt
	prompt messages // what the agent was asked
	input  messages // since the last answer
	output messages // since the last input
	worked bool     // the model said something
}

// Size returns the size of the content in bytes.
func (t *Conversation) Size() int {
	return t.system.size + t.prompt.size + t.input.size + t.output.size
}

// Exchange is the part of a conversation that belongs to one model call.
type Exchange struct{ system, input, output messages }

// Finish reasons of the conventions.
const (
	finishStop     = "stop"
	finishToolCall = "tool_call"
	finishLength   = "length"
	finishFilter   = "content_filter"
)

// finishOf returns the finish reason of a model message, from its parts and the cause of its run's failure.
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

// Add adds an event to the conversation. call points to the exchange of the event's model call, or is nil if there is
// none. Content takes at most limit bytes.
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

// Skip records that the following content is omitted for lack of space.
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

// answer adds a part of an answer, also to the model call's exchange.
func (t *Conversation) answer(ev *events.DisplayEvent, limit int, call **Exchange) {
	goesOn := call != nil && *call != nil // results of its first calls may precede its last ones
	if call != nil && !goesOn {
		*call = &Exchange{system: t.system, input: t.input}
	}
	if !goesOn && (len(t.input.list) > 0 || !t.worked) { // the first part of the answer
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

// Messages returns what was said in a model call, or nil. cause is why its run failed, if it did.
func (x *Exchange) Messages(cause events.Cause) *otlp.Messages {
	if x == nil {
		return nil
	}
	return x.encode(finishOf(&x.output, cause))
}

// encode returns the three parts and the finish reason.
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

// Messages returns what an agent was asked and its last answer, or nil. The finish reason of an answer that was cut
// short is unknown.
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
