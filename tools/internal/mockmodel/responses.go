package mockmodel

import (
	"net/http"
	"time"

	"github.com/tidwall/gjson"
)

// readResponses reads a request of OpenAI Responses.
func readResponses(r *http.Request, body []byte) (Request, error) {
	if !gjson.ValidBytes(body) {
		return Request{}, errInvalid
	}
	doc := gjson.ParseBytes(body)
	q := Request{Model: doc.Get("model").Str, Stream: doc.Get("stream").Bool(), System: doc.Get("instructions").Str, Header: map[string]string{}}
	for _, name := range []string{"session_id", "thread_id", "x-codex-parent-thread-id", "x-openai-subagent"} {
		if v := r.Header.Get(name); v != "" {
			q.Header[name] = v
		}
	}
	for _, t := range doc.Get("tools").Array() {
		name := t.Get("name").Str
		if name == "" {
			name = t.Get("type").Str
		}
		q.Tools = append(q.Tools, name)
		for _, inner := range t.Get("tools.#.name").Array() { // a namespace of tools
			q.Tools = append(q.Tools, name+"."+inner.Str, inner.Str)
		}
	}
	after := false // a message of the model came before
	for _, item := range doc.Get("input").Array() {
		switch item.Get("type").Str {
		case "function_call_output", "custom_tool_call_output":
			if after {
				q.Results, after = nil, false
			}
			q.Results = append(q.Results, flat(item.Get("output")))
		case "function_call", "custom_tool_call", "reasoning":
			q.Steps, after = q.Steps+1, true
		default:
			if role := item.Get("role").Str; role == "assistant" {
				q.Steps, after = q.Steps+1, true
				q.Results = nil
			} else if role == "user" {
				q.said(flat(item.Get("content")))
			}
		}
	}
	return q, nil
}

func responsesUsage(t Tokens) object {
	return object{
		"input_tokens": t.Input, "input_tokens_details": object{"cached_tokens": t.CacheRead},
		"output_tokens": t.Output, "output_tokens_details": object{"reasoning_tokens": t.Reasoning}, "total_tokens": t.Input + t.Output,
	}
}

func responsesItems(a *answer) (items []object) {
	t := a.turn
	if t.Reasoning != "" {
		items = append(items, object{"id": "rs_" + a.id, "type": "reasoning", "summary": []object{{"type": "summary_text", "text": t.Reasoning}}})
	}
	if t.Text != "" {
		items = append(items, object{"id": "msg_" + a.id, "type": "message", "role": "assistant", "status": "completed",
			"content": []object{{"type": "output_text", "text": t.Text, "annotations": []any{}}}})
	}
	for _, c := range t.Calls {
		item := object{
			"id": "fc_" + c.ID, "type": "function_call", "status": "completed",
			"call_id": c.ID, "name": c.Name, "arguments": string(c.arguments()),
		}
		if c.Namespace != "" {
			item["namespace"] = c.Namespace
		}
		if c.Text != "" {
			item["type"], item["input"] = "custom_tool_call", c.Text
			delete(item, "arguments")
		}
		items = append(items, item)
	}
	return items
}

func writeResponses(a *answer) {
	response := object{
		"id": "resp_" + a.id, "object": "response", "created_at": time.Now().Unix(),
		"status": "in_progress", "model": a.request.Model, "output": []any{},
	}
	items := responsesItems(a)
	if !a.request.Stream {
		response["status"], response["output"], response["usage"] = "completed", items, responsesUsage(a.turn.Tokens)
		a.whole(response)
		return
	}
	a.event("response.created", object{"type": "response.created", "response": response})
	for i, item := range items {
		a.event("response.output_item.added", object{"type": "response.output_item.added", "output_index": i, "item": begun(item)})
		if item["type"] == "message" {
			for _, half := range halves(a.turn.Text) {
				a.event("response.output_text.delta", object{
					"type": "response.output_text.delta", "item_id": item["id"], "output_index": i, "content_index": 0, "delta": half,
				})
			}
		}
		if i == 0 {
			a.pause()
		}
		a.event("response.output_item.done", object{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	done := object{}
	for key, v := range response {
		done[key] = v
	}
	done["status"], done["output"], done["usage"] = "completed", items, responsesUsage(a.turn.Tokens)
	a.event("response.completed", object{"type": "response.completed", "response": done})
}

// begun returns an item in the form in which its stream begins.
func begun(item object) object {
	b := object{}
	for key, v := range item {
		b[key] = v
	}
	switch item["type"] {
	case "message":
		b["status"], b["content"] = "in_progress", []any{}
	case "function_call":
		b["status"], b["arguments"] = "in_progress", ""
	case "custom_tool_call":
		b["status"], b["input"] = "in_progress", ""
	}
	return b
}
