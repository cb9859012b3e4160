package mockmodel

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"
)

// readMessages reads a request of Anthropic Messages.
func readMessages(r *http.Request, body []byte) (Request, error) {
	if !gjson.ValidBytes(body) {
		return Request{}, errInvalid
	}
	doc := gjson.ParseBytes(body)
	q := Request{Model: doc.Get("model").Str, Stream: doc.Get("stream").Bool(), System: flat(doc.Get("system"))}
	for _, t := range doc.Get("tools.#.name").Array() {
		q.Tools = append(q.Tools, t.Str)
	}
	for _, m := range doc.Get("messages").Array() {
		switch m.Get("role").Str {
		case "assistant":
			q.Steps, q.Results = q.Steps+1, nil
			continue
		case "system": // Claude Code 2.1 has such messages among the others
			q.System += flat(m.Get("content"))
			continue
		}
		var text []string
		content := m.Get("content")
		if content.Type == gjson.String {
			text = append(text, content.Str)
		}
		for _, block := range content.Array() {
			switch block.Get("type").Str {
			case "tool_result":
				q.Results = append(q.Results, flat(block.Get("content")))
			case "text":
				text = append(text, block.Get("text").Str)
			}
		}
		if len(q.Results) == 0 { // text next to results is the CLI's own
			q.said(strings.Join(text, "\n"))
		}
	}
	return q, nil
}

// said records a text in the user's name.
func (q *Request) said(text string) {
	if text == "" {
		return
	}
	q.Steps = 0
	q.Said += text + "\n"
	q.Prompt = text
}

// flat returns a string, or the text blocks of an array.
func flat(v gjson.Result) string {
	if v.Type == gjson.String {
		return v.Str
	}
	var parts []string
	for _, block := range v.Array() {
		if block.Type == gjson.String {
			parts = append(parts, block.Str)
		} else if text := block.Get("text"); text.Exists() {
			parts = append(parts, text.Str)
		}
	}
	return strings.Join(parts, "\n")
}

func messagesUsage(t Tokens) object {
	return object{
		"input_tokens": t.Input - t.CacheRead - t.CacheWrite, "output_tokens": t.Output,
		"cache_read_input_tokens": t.CacheRead, "cache_creation_input_tokens": t.CacheWrite,
		"cache_creation": object{"ephemeral_5m_input_tokens": t.CacheWrite, "ephemeral_1h_input_tokens": 0},
		"service_tier":   "standard",
	}
}

func writeMessages(a *answer) {
	t := a.turn
	stop := "end_turn"
	if len(t.Calls) > 0 {
		stop = "tool_use"
	}
	message := object{
		"id": "msg_" + a.id, "type": "message", "role": "assistant", "model": a.request.Model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
	}
	if !a.request.Stream {
		message["content"], message["stop_reason"], message["usage"] = messageBlocks(t), stop, messagesUsage(t.Tokens)
		a.whole(message)
		return
	}
	first := t.Tokens
	first.Output = 1 // the API's first count is a placeholder
	message["usage"] = messagesUsage(first)
	a.event("message_start", object{"type": "message_start", "message": message})
	for i, block := range messageBlocks(t) {
		a.block(i, block)
		if i == 0 {
			a.pause()
		}
	}
	if len(t.Calls) == 0 && t.Text == "" && t.Reasoning == "" {
		a.pause()
	}
	delta := object{"stop_reason": stop, "stop_sequence": nil}
	a.event("message_delta", object{"type": "message_delta", "delta": delta, "usage": messagesUsage(t.Tokens)})
	a.event("message_stop", object{"type": "message_stop"})
}

func messageBlocks(t *Turn) (blocks []object) {
	if t.Reasoning != "" {
		blocks = append(blocks, object{"type": "thinking", "thinking": t.Reasoning, "signature": "bW9jaw=="})
	}
	if t.Text != "" {
		blocks = append(blocks, object{"type": "text", "text": t.Text})
	}
	for _, c := range t.Calls {
		blocks = append(blocks, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage(c.arguments())})
	}
	return blocks
}

// block streams one content block.
func (a *answer) block(i int, block object) {
	empty, deltas := object{"type": block["type"]}, []object(nil)
	switch block["type"] {
	case "thinking":
		empty["thinking"], empty["signature"] = "", ""
		deltas = []object{{"type": "thinking_delta", "thinking": block["thinking"]}, {"type": "signature_delta", "signature": block["signature"]}}
	case "text":
		empty["text"] = ""
		for _, half := range halves(block["text"].(string)) {
			deltas = append(deltas, object{"type": "text_delta", "text": half})
		}
	case "tool_use":
		empty["id"], empty["name"], empty["input"] = block["id"], block["name"], object{}
		deltas = []object{{"type": "input_json_delta", "partial_json": string(block["input"].(json.RawMessage))}}
	}
	a.event("content_block_start", object{"type": "content_block_start", "index": i, "content_block": empty})
	for _, delta := range deltas {
		a.event("content_block_delta", object{"type": "content_block_delta", "index": i, "delta": delta})
	}
	a.event("content_block_stop", object{"type": "content_block_stop", "index": i})
}

func refuseMessages(t *Turn) any {
	return object{"type": "error", "error": object{"type": t.Cause, "message": "mock refusal: " + t.Cause}}
}
