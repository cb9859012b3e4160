package gemini_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/parser/gemini"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

func TestDetectFixtures(t *testing.T) {
	for _, file := range parsertest.Fixtures(t, gemini.Name) {
		lines := parsertest.Lines(t, file)
		assert.True(t, gemini.Detect(lines[:min(len(lines), 8)]), file)
	}
}

// TestDetectTakesNoOther checks that no line of another provider's fixtures is detected as Gemini CLI's.
func TestDetectTakesNoOther(t *testing.T) {
	files, err := filepath.Glob("../../testdata/*/*.json*")
	require.NoError(t, err)
	others := 0
	for _, file := range files {
		if filepath.Base(filepath.Dir(file)) == gemini.Name {
			continue
		}
		others++
		for _, line := range parsertest.Lines(t, file) {
			assert.False(t, gemini.Detect([][]byte{line}), "%s: %.200s", file, line)
		}
	}
	assert.Positive(t, others)
}

func TestDetect(t *testing.T) {
	for _, tc := range []struct {
		name, line string
		want       bool
	}{
		{"init", initLine, true},
		{"piece of text", say("a"), true},
		{"header", headerLine, true},
		{"patch", `{"$set":{"lastUpdated":"2026-01-01T00:00:00.000Z"}}`, true},
		{"message", `{"id":"a","timestamp":"2026-01-01T00:00:00.000Z","type":"gemini","content":""}`, true},
		{"byte order mark", "\xef\xbb\xbf" + initLine, true},
		{"one document, failed", `{"session_id":"s","error":{"type":"Error","message":"x","code":1}}`, true},
		{"result", `{"type":"result","timestamp":"2026-01-01T00:00:00.000Z","status":"error","stats":{}}`, true},
		{"a message of a model API", `{"type":"message","role":"assistant","content":"x"}`, false},
		{"output item of a model API", `{"id":"msg_1","type":"message","role":"assistant","content":[]}`, false},
		{"init of another agent", `{"type":"system","subtype":"init","session_id":"s","model":"m","timestamp":"2026-01-01T00:00:00.000Z"}`, false},
		{"tool call of another agent", `{"type":"tool_use","timestamp":1700000000000,"sessionID":"s","part":{}}`, false},
		{"error of a model API", `{"error":{"type":"invalid_request_error","message":"x"}}`, false},
		{"error of another agent", `{"type":"error","timestamp":"2026-01-01T00:00:00.000Z","message":"x"}`, false},
		{"session of another agent", `{"sessionId":"s","type":"user","timestamp":"2026-01-01T00:00:00.000Z"}`, false},
		{"torn", initLine[:40], false},
		{"words", "hello", false},
	} {
		assert.Equal(t, tc.want, gemini.Detect([][]byte{[]byte("npm warn"), []byte(tc.line)}), tc.name)
	}
}
