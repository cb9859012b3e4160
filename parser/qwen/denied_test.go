package qwen_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
)

// TestDeniedByRule: a call that a rule forbids is denied; the stream shows that by its text, the transcript by its type
// (0.24.4).
func TestDeniedByRule(t *testing.T) {
	const text = `This \"run_shell_command\" invocation was denied by permission rules. Matching deny rule: \"Bash(rm *)\".`
	for name, tt := range map[string]struct {
		line   string
		denied bool
	}{
		"stream":               {`{"type":"user","uuid":"1","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"` + text + `"}]}}`, true},
		"transcript":           {`{"uuid":"1","sessionId":"s","type":"tool_result","message":{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"x","response":{"error":"No."}}}]},"toolCallResult":{"callId":"c1","status":"error","errorType":"execution_denied"}}`, true},
		"transcript, failed":   {`{"uuid":"1","sessionId":"s","type":"tool_result","message":{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"x","response":{"error":"No."}}}]},"toolCallResult":{"callId":"c1","status":"error","errorType":"execution_failed"}}`, false},
		"stream, output of it": {`{"type":"user","uuid":"1","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","is_error":false,"content":"` + text + `"}]}}`, false},
	} {
		results := ofKind(eventsOf(tt.line), events.KindToolResult)
		require.Len(t, results, 1, name)
		assert.Equal(t, tt.denied, results[0].Tool.Denied, name)
	}
}
