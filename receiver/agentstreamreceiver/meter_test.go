package agentstreamreceiver_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHealthMetrics reads files of all kinds, and finds each kind in the receiver's own metrics.
func TestHealthMetrics(t *testing.T) {
	dir := t.TempDir()
	appendLines(t, filepath.Join(dir, "whole.jsonl"), session(t, "claude", "parity.jsonl")...)
	appendLines(t, filepath.Join(dir, "orphan.jsonl"), // a result whose call is unknown
		[]byte(`{"type":"system","subtype":"init","session_id":"s9","model":"m"}`+"\n"),
		textLineOf("s9"),
		[]byte(`{"type":"user","session_id":"s9","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t9","content":"ok"}]}}`+"\n"),
		[]byte(`{"type":"result","subtype":"success","session_id":"s9","uuid":"r9","total_cost_usd":-4,"usage":{"input_tokens":1}}`+"\n"),
		[]byte("not json\n"), []byte(`{"type":"never_heard_of","session_id":"s9"}`+"\n"))
	appendLines(t, filepath.Join(dir, "packed.jsonl.gz"), []byte("this is no gzip\n"))

	cfg := configFor(filepath.Join(dir, "*"))
	r := start(t, cfg, nil)
	const of = "otelcol_receiver_agent_stream_"
	once := []struct{ metric, key, value string }{
		{"anomalies", "reason", "unknown_call"}, {"anomalies", "reason", "implausible_cost"},
		{"lines_not_parsed", "reason", "malformed"}, {"unknown_types", "type", "never_heard_of"},
	}
	lines := int64(len(session(t, "claude", "parity.jsonl"))) + 6
	require.EventuallyWithT(t, func(t *assert.CollectT) { // each arrives in its own time
		assert.Positive(t, r.metric(of+"read_errors", "", ""))
		assert.GreaterOrEqual(t, r.metric(of+"lines", "provider", "claude"), lines)
		assert.Positive(t, r.metric(of+"events", "kind", "tool_use"))
		assert.Positive(t, r.metric(of+"events", "kind", "session_end"))
		assert.Positive(t, r.metric(of+"files_open", "", ""))
		assert.Positive(t, r.metric(of+"bytes", "", ""))
		assert.EqualValues(t, 3, r.metric(of+"files_known", "", ""))
		for _, m := range once {
			assert.GreaterOrEqual(t, r.metric(of+m.metric, m.key, m.value), int64(1), m.value)
		}
	}, wait, tick)
	r.stopAnyhow()
	for _, m := range once {
		assert.EqualValues(t, 1, r.metric(of+m.metric, m.key, m.value), m.value)
	}
	assert.Zero(t, r.metric(of+"dropped", "", ""))
}

func textLineOf(session string) []byte {
	return []byte(`{"type":"assistant","session_id":"` + session + `","uuid":"u9","message":{"id":"m9","role":"assistant","model":"m","content":[{"type":"text","text":"Hi."}]}}` + "\n")
}
