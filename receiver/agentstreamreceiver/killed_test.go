package agentstreamreceiver_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/otlp"
)

// TestKilledWithItsAgents cuts a session where it and its two sub-agents could have been killed. Its total is the same whether
// the files are followed until they are idle, or have long been complete.
func TestKilledWithItsAgents(t *testing.T) {
	family := filepath.Join("..", "..", "testdata", "claude", "families", "subagent")
	for _, tt := range []struct {
		name string
		age  time.Duration
		idle time.Duration
	}{{"followed", 0, 6 * time.Second}, {"read afterwards", 24 * time.Hour, time.Hour}} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			cfg := configFor(filepath.Join(dir, "*.jsonl"))
			cfg.Stream.PollInterval, cfg.Stream.IdleClose = 20*time.Millisecond, tt.idle
			cfg.Telemetry.EndGrace, cfg.Telemetry.ParentWait = time.Second, time.Second
			r := startOn(t, newMachine(), cfg, nil)
			for _, file := range []struct {
				name  string
				lines int
			}{{"main", 27}, {"agent-aba500ca402cb87b8", 23}, {"agent-ad12a344d93e7fc15", 21}} {
				name := file.name + ".session.jsonl"
				data, err := os.ReadFile(filepath.Join(family, name))
				require.NoError(t, err)
				part, path := bytes.Join(bytes.SplitAfter(data, []byte("\n"))[:file.lines], nil), filepath.Join(t.TempDir(), name)
				require.NoError(t, os.WriteFile(path, part, 0o600))
				require.NoError(t, os.Chtimes(path, time.Now(), time.Now().Add(-tt.age)))
				require.NoError(t, os.Rename(path, filepath.Join(dir, name)))
				require.Eventually(t, func() bool { return len(r.records()) > 0 }, wait, tick, "the run is known before its sub-agents")
			}
			require.Eventually(t, func() bool { return spansOf(r, "invoke_agent claude-code") == 1 }, wait, tick)
			r.stop()
			assert.Empty(t, otlpjson.Check(r.traces.AllTraces()...))
			input, total := int64(0), int64(0)
			for _, span := range r.spans() {
				if v, ok := span.Attributes().Get("gen_ai.usage.input_tokens"); ok {
					input += v.Int()
				}
				if span.Name() != "invoke_agent claude-code" {
					continue
				}
				v, _ := span.Attributes().Get(otlp.AttrUsageInput)
				total = v.Int()
				_, incomplete := span.Attributes().Get(otlp.AttrUsageIncomplete)
				assert.True(t, incomplete, "its sub-agents may continue")
				reason, _ := span.Attributes().Get(otlp.AttrCloseReason)
				assert.Equal(t, "timeout", reason.AsString())
			}
			assert.EqualValues(t, 74481, input)
			assert.Equal(t, input, total)
		})
	}
}
