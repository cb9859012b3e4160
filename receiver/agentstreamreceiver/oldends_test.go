package agentstreamreceiver_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/otlp"
)

// outcomes returns the outcome of each run.
func (r *rig) outcomes() (list []string) {
	for _, span := range r.spans() {
		if isRun(span) {
			outcome, _ := span.Attributes().Get(otlp.AttrRunOutcome)
			list = append(list, outcome.AsString())
		}
	}
	return list
}

// TestOldStreamsShowTheirEnd reads streams that were not written for a day. What their parser holds because more could follow, such
// as the end of OpenCode, is exported before their runs are closed, as from a stream that is followed until its end. A restart
// exports nothing again, and what follows nevertheless is another run.
func TestOldStreamsShowTheirEnd(t *testing.T) {
	for _, tt := range []struct {
		file    string
		outcome string
		texts   int
	}{
		{"opencode/parity.jsonl", "ok", 4},
		{"opencode/parity-1.1.65.jsonl", "ok", 4},
		{"opencode/max-tokens.jsonl", "ok", 1},
		{"opencode/overflow.jsonl", "ok", 3},
		{"opencode/filtered.jsonl", "error", 1},
		{"opencode/fatal-401.jsonl", "error", 0},
		{"opencode/fatal-401.session.jsonl", "error", 0},
		{"opencode/killed.jsonl", "incomplete", 1},
		{"claude/killed-in-text.jsonl", "incomplete", 2},
		{"gemini/killed-in-text.jsonl", "incomplete", 1},
	} {
		t.Run(tt.file, func(t *testing.T) {
			path, m := filepath.Join(t.TempDir(), "s.jsonl"), newMachine()
			appendLines(t, path, session(t, filepath.FromSlash(tt.file))...)
			long := time.Now().Add(-24 * time.Hour)
			require.NoError(t, os.Chtimes(path, long, long))
			cfg := stored(path)
			cfg.Telemetry.EndGrace, cfg.Telemetry.ParentWait = 10*time.Millisecond, 10*time.Millisecond // a stream that was cut waits for its transcript
			first := startOn(t, m, cfg, nil)
			first.read(m, path)
			require.Eventually(t, func() bool { return len(first.outcomes()) > 0 }, wait, tick)
			first.stop()
			assert.Equal(t, []string{tt.outcome}, first.outcomes())
			texts, ends := 0, 0
			for _, record := range first.records() {
				switch record.EventName() {
				case "tailspan.text":
					texts++
				case "tailspan.session_end", "tailspan.turn_done", otlp.EventNameRunEnd:
					ends++
				}
			}
			assert.Equal(t, tt.texts, texts)
			assert.Equal(t, 1, ends)

			more := session(t, "opencode", "case-two-runs-one-stream.jsonl")
			appendLines(t, path, more...)
			second := startOn(t, m, stored(path), nil)
			second.read(m, path)
			second.stop()
			if filepath.Dir(tt.file) == "opencode" {
				assert.Equal(t, []string{"ok"}, second.outcomes(), "the other one is not over")
			} else {
				assert.Empty(t, second.outcomes())
			}
		})
	}
}
