package render_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
)

// TestErrorsInJSON checks that the message of a server's JSON answer is shown in its place, and any other text unchanged.
func TestErrorsInJSON(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"words", "quota used up", "quota used up"},
		{"answer", `{"error":{"message":"No such model.","code":4}}`, "No such model."},
		{"answer over lines", "{\n  \"error\": {\n    \"message\": \"No such model.\"\n  }\n}\n", "No such model."},
		{"behind words", `status 400: {"error": {"message": "No such model."}}`, "status 400: No such model."},
		{"message alone", `{"type":"x","message":"No."}`, "No."},
		{"error as text", `{"error":"no","message":"No."}`, "No."},
		{"no message", `{"error":{"code":4}}`, `{"error":{"code":4}}`},
		{"blank message", `{"message":" "}`, `{"message":" "}`},
		{"cut", `status 400: {"error":{"message":"No su`, `status 400: {"error":{"message":"No su`},
		{"words behind", `status 400: {"message":"No."}; retrying 1/5`, "status 400: No.; retrying 1/5"},
		{"controls", `{"message":"No\u001b[2J\u0000."}`, "No."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			verbose := render.Settings{Mode: render.ModeVerbose}
			notice := &events.DisplayEvent{Kind: events.KindNotice, Text: tt.text, Notice: events.Notice{Level: events.LevelError}}
			assert.Equal(t, "[error: "+tt.want+"]\n", emit(verbose, notice))
			assert.Equal(t, "[run failed: "+tt.want+"]\n", emit(verbose, end(events.End{Error: true, Err: tt.text})))
			assert.Contains(t, emit(render.Settings{Mode: render.ModeQuiet}, end(events.End{Error: true, Err: tt.text})), "Run failed: "+tt.want+" (")
		})
	}
}
