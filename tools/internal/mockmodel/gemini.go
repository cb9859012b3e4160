package mockmodel

import (
	"encoding/json"
	"net/http"
	"path"
	"strings"

	"github.com/tidwall/gjson"
)

// readGemini reads a request of Gemini generateContent; model and method are in the path.
func readGemini(r *http.Request, body []byte) (Request, error) {
	if !gjson.ValidBytes(body) {
		return Request{}, errInvalid
	}
	doc := gjson.ParseBytes(body)
	model, method, _ := strings.Cut(path.Base(r.URL.Path), ":")
	q := Request{Model: model, Stream: method == "streamGenerateContent", System: flat(doc.Get("systemInstruction.parts"))}
	for _, names := range doc.Get("tools.#.functionDeclarations.#.name").Array() {
		for _, t := range names.Array() {
			q.Tools = append(q.Tools, t.Str)
		}
	}
	for _, m := range doc.Get("contents").Array() {
		if m.Get("role").Str == "model" {
			q.Steps, q.Results = q.Steps+1, nil
			continue
		}
		var text []string
		for _, part := range m.Get("parts").Array() {
			if response := part.Get("functionResponse.response"); response.Exists() {
				q.Results = append(q.Results, response.Raw)
			} else if t := part.Get("text"); t.Exists() {
				text = append(text, t.Str)
			}
		}
		if len(q.Results) == 0 { // text next to results is the CLI's own
			q.said(strings.Join(text, "\n"))
		}
	}
	return q, nil
}

func geminiUsage(t Tokens) object {
	return object{
		"promptTokenCount": t.Input, "candidatesTokenCount": t.Output - t.Reasoning, "thoughtsTokenCount": t.Reasoning,
		"cachedContentTokenCount": t.CacheRead, "totalTokenCount": t.Input + t.Output,
	}
}

func writeGemini(a *answer) {
	t := a.turn
	var parts []object
	if t.Reasoning != "" {
		parts = append(parts, object{"text": t.Reasoning, "thought": true})
	}
	if t.Text != "" {
		parts = append(parts, object{"text": t.Text})
	}
	for _, c := range t.Calls {
		parts = append(parts, object{"functionCall": object{"id": c.ID, "name": c.Name, "args": json.RawMessage(c.arguments())}})
	}
	chunk := func(parts []object, last bool) object {
		candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
		doc := object{"candidates": []object{candidate}, "modelVersion": a.request.Model, "responseId": a.id}
		if last {
			candidate["finishReason"], doc["usageMetadata"] = "STOP", geminiUsage(t.Tokens)
		}
		return doc
	}
	if !a.request.Stream {
		a.whole(chunk(parts, true))
		return
	}
	for i, part := range parts {
		last := i == len(parts)-1
		if last {
			a.pause()
		}
		a.event("", chunk([]object{part}, last))
	}
	if len(parts) == 0 {
		a.pause()
		a.event("", chunk([]object{{"text": ""}}, true))
	}
}

func refuseGemini(t *Turn) any {
	return object{"error": object{"code": t.Status, "message": "mock refusal: " + t.Cause, "status": t.Cause}}
}
