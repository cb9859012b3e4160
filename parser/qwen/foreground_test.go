package qwen_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
)

// TestForegroundHelper: from 0.24 on a foreground sub-agent has its own transcript, which has its tokens; its ID consists of
// its type and its call.
func TestForegroundHelper(t *testing.T) {
	for version, want := range map[string]struct {
		agent string
		usage int
	}{"0.24.4": {"finder-c1", 0}, "0.15.10": {"", 1}} {
		head := `"sessionId":"s","version":"` + version + `",`
		all := eventsOf(
			`{"uuid":"1",`+head+`"type":"assistant","message":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"agent","args":{"prompt":"Look.","subagent_type":"finder","run_in_background":false}}}]}}`,
			`{"uuid":"2",`+head+`"type":"system","subtype":"ui_telemetry","systemPayload":{"uiEvent":{"event.name":"qwen-code.api_response","response_id":"r1","prompt_id":"s#finder-c1#0","subagent_name":"finder","input_token_count":10,"output_token_count":2}}}`,
			`{"uuid":"3",`+head+`"type":"tool_result","message":{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"agent","response":{"output":"Found."}}}]},"toolCallResult":{"callId":"c1","status":"success"}}`,
		)
		calls := ofKind(all, events.KindToolUse)
		require.Len(t, calls, 1)
		assert.Equal(t, want.agent, calls[0].Tool.AgentID, version)
		assert.Len(t, ofKind(all, events.KindUsage), want.usage, version)
	}
}
