package mockmodel

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/tidwall/gjson"
)

var errInvalid = errors.New("body is not JSON")

// readCompletions reads a request of OpenAI Chat Completions.
func readCompletions(r *http.Request, body []byte) (Request, error) {
	if !gjson.ValidBytes(body) {
		return Request{}, errInvalid
	}
	doc := gjson.ParseBytes(body)
	q := Request{Model: doc.Get("model").Str, Stream: doc.Get("stream").Bool()}
	for _, t := range doc.Get("tools.#.function.name").Array() {
		q.Tools = append(q.Tools, t.Str)
	}
	for _, m := range doc.Get("messages").Array() {
		switch m.Get("role").Str {
		case "system", "developer":
			q.System += flat(m.Get("content"))
		case "assistant":
			q.Steps, q.Results = q.Steps+1, nil
		case "tool":
			q.Results = append(q.Results, flat(m.Get("content")))
		default:
			q.said(flat(m.Get("content")))
		}
	}
	return q, nil
}

func completionsUsage(t Tokens) object {
	return object{
		"prompt_tokens": t.Input, "completion_tokens": t.Output, "total_tokens": t.Input + t.Output,
		"prompt_tokens_details":     object{"cached_tokens": t.CacheRead},
		"completion_tokens_details": object{"reasoning_tokens": t.Reasoning},
	}
}

func writeCompletions(a *answer) {
	t := a.turn
	finish := "stop"
	if len(t.Calls) > 0 {
		finish = "tool_calls"
	}
	calls := make([]object, len(t.Calls))
	for i, c := range t.Calls {
		calls[i] = object{"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": string(c.arguments())}}
	}
	base := func(kind string) object {
		return object{"id": "chatcmpl-" + a.id, "object": kind, "created": time.Now().Unix(), "model": a.request.Model}
	}
	if !a.request.Stream {
		doc := base("chat.completion")
		message := object{"role": "assistant", "content": t.Text}
		if len(calls) > 0 {
			message["tool_calls"] = calls
		}
		doc["choices"], doc["usage"] = []object{{"index": 0, "message": message, "finish_reason": finish}}, completionsUsage(t.Tokens)
		a.whole(doc)
		return
	}
	chunk := func(delta object, finish any) {
		doc := base("chat.completion.chunk")
		doc["choices"] = []object{{"index": 0, "delta": delta, "finish_reason": finish}}
		a.event("", doc)
	}
	chunk(object{"role": "assistant", "content": ""}, nil)
	if t.Reasoning != "" {
		chunk(object{"reasoning_content": t.Reasoning}, nil)
	}
	if t.Text != "" {
		for _, half := range halves(t.Text) {
			chunk(object{"content": half}, nil)
		}
	}
	a.pause()
	for _, call := range calls {
		chunk(object{"tool_calls": []object{call}}, nil)
	}
	chunk(object{}, finish)
	last := base("chat.completion.chunk")
	last["choices"], last["usage"] = []object{}, completionsUsage(t.Tokens)
	a.event("", last)
	if !a.failed {
		fmt.Fprint(a.w, "data: [DONE]\n\n")
	}
}

func refuseOpenAI(t *Turn) any {
	return object{"error": object{"message": "mock refusal: " + t.Cause, "type": t.Cause, "code": t.Cause, "param": nil}}
}
