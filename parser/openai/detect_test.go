package openai_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/openai"
)

func TestDetection(t *testing.T) { parsertest.Detection(t, folder, openai.Detect) }

func TestDetectLines(t *testing.T) {
	for _, tc := range []struct {
		name, line string
		want       bool
	}{
		{"chunk in a frame", chunk("a", delta(`"content":"x"`)), true},
		{"end of a stream", done, true},
		{"body without object", `{"choices":[{"message":{"content":"x"}}]}`, true},
		{"request", `{"model":"m","messages":[{"role":"user","content":"x"}]}`, true},
		{"list of errors", `[{"error":{"code":400,"message":"m"}}]`, true},
		{"error", `{"error":{"message":"m"}}`, true},
		{"error as Anthropic has it", `{"type":"error","error":{"type":"t","message":"m"},"request_id":"r"}`, true},
		{"event of a response", `{"type":"error","code":"E","message":"m","param":null,"sequence_number":1}`, true},
		{"error of Codex", `{"type":"error","message":"m"}`, false},
		{"error of OpenCode", `{"type":"error","timestamp":1,"sessionID":"s","error":{"name":"n"}}`, false},
		{"error of Gemini CLI", `{"session_id":"s","error":{"type":"Error","message":"m","code":1}}`, false},
		{"messages in a record", `{"type":"x","model":"m","messages":[]}`, false},
		{"event of Anthropic's API", `data: {"type":"message_start","message":{"role":"assistant"}}`, false},
		{"log line", `{"level":"error","message":"m","code":5,"logger":"x"}`, false},
		{"comment", ": keep-alive", false},
		{"words", "npm warn deprecated", false},
		{"torn", `{"choices":[{"message"`, false},
		{"nothing", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) { assert.Equal(t, tc.want, openai.Detect([][]byte{[]byte(tc.line)})) })
	}
}
