package qwen_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
)

// eventsOf returns the events of lines without borrowed fields.
func eventsOf(lines ...string) (all []events.DisplayEvent) {
	p := newSource()
	for _, line := range lines {
		all = append(all, p.ParseEvents([]byte(line))...)
	}
	return all
}

func ofKind(all []events.DisplayEvent, kind events.Kind) (some []events.DisplayEvent) {
	for _, e := range all {
		if e.Kind == kind {
			some = append(some, e)
		}
	}
	return some
}

// TestBackgroundHelperID: an ID that is cut out of a text is valid UTF-8 like every other string (seed 11001608 of the
// pipeline fuzzer).
func TestBackgroundHelperID(t *testing.T) {
	results := ofKind(eventsOf(
		`{"uuid":"1","sessionId":"s","type":"assistant","message":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"agent","args":{"prompt":"Look."}}}]}}`,
		`{"uuid":"2","sessionId":"s","type":"tool_result","message":{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"agent","response":{"output":"Background agent launched.\ntask_id: finder-`+"\xc8"+`1 (internal)"}}}]},"toolCallResult":{"callId":"c1","status":"success"}}`,
	), events.KindToolResult)
	require.Len(t, results, 1)
	assert.Equal(t, "finder-\ufffd1", results[0].Tool.AgentID)
}

// TestBackgroundHelper: the tokens of a background sub-agent count once, in its own transcript if the version writes
// them there.
func TestBackgroundHelper(t *testing.T) {
	for version, wanted := range map[string]int{"0.24.4": 0, "0.15.10": 1, "1.0.0": 0} {
		head := `"sessionId":"s","version":"` + version + `",`
		all := eventsOf(
			`{"uuid":"1",`+head+`"type":"assistant","message":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"agent","args":{"prompt":"Look.","subagent_type":"finder"}}}]}}`,
			`{"uuid":"2",`+head+`"type":"tool_result","message":{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"agent","response":{"output":"Background agent launched successfully.\ntask_id: finder-c1 (internal)"}}}]},"toolCallResult":{"callId":"c1","status":"success"}}`,
			`{"uuid":"3",`+head+`"type":"system","subtype":"ui_telemetry","systemPayload":{"uiEvent":{"event.name":"qwen-code.api_response","response_id":"r1","prompt_id":"s#finder-c1#0","subagent_name":"finder","input_token_count":10,"output_token_count":2}}}`,
			`{"uuid":"4",`+head+`"type":"user","subtype":"notification","provenance":"system","message":{"role":"user","parts":[{"text":"<task-notification>\n<task-id>finder-c1</task-id>\n<tool-use-id>c1</tool-use-id>\n<status>failed</status>\n<summary>It broke.</summary>\n</task-notification>"}]}}`,
		)
		results := ofKind(all, events.KindToolResult)
		require.Len(t, results, 1)
		assert.Equal(t, "finder-c1", results[0].Tool.AgentID)
		assert.Equal(t, events.ToolStateBackground, results[0].Tool.State)
		assert.Len(t, ofKind(all, events.KindUsage), wanted, version)
		over := ofKind(all, events.KindToolProgress)
		require.Len(t, over, 1)
		assert.Equal(t, "c1", over[0].Tool.ID)
		assert.Equal(t, "It broke.", over[0].Tool.Err)
	}
}

// TestHelperMessages: the lines of one response have one message ID, with and without tokens in the transcript.
func TestHelperMessages(t *testing.T) {
	line := func(uuid, kind, parts, usage string) string {
		return `{"uuid":"` + uuid + `","sessionId":"s","version":"0.24.4","agentId":"finder-c1","agentName":"finder","isSidechain":true,"type":"` + kind + `","message":{"parts":[` + parts + `]}` + usage + `}`
	}
	const tokens = `,"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":2,"totalTokenCount":12}`
	call := func(id string) string {
		return `{"functionCall":{"id":"` + id + `","name":"read_file","args":{"path":"` + id + `"}}}`
	}
	result := func(id string) string {
		return `{"functionResponse":{"id":"` + id + `","name":"read_file","response":{"output":"x"}}}`
	}
	for name, usage := range map[string]string{"with tokens": tokens, "without": ""} {
		all := eventsOf(
			line("1", "user", `{"text":"Look."}`, ""), line("2", "assistant", `{"text":"Looking."}`, usage), line("3", "assistant", call("a"), ""),
			line("4", "tool_result", result("a"), ""), line("5", "assistant", `{"text":"Once more."}`, usage), line("6", "assistant", call("b"), ""),
		)
		require.Equal(t, "finder", all[0].Session.AgentName)
		var ids []string
		for _, e := range all {
			assert.Equal(t, "finder-c1", e.AgentID)
			if e.Kind == events.KindText || e.Kind == events.KindToolUse {
				ids = append(ids, e.MessageID)
			}
		}
		assert.Equal(t, []string{"2", "2", "5", "5"}, ids, name)
	}
}
