package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEventsOfFailures checks real runs: why a call and a run failed, and how long the run took.
func TestEventsOfFailures(t *testing.T) {
	for file, kind := range map[string]string{"claude/fatal-401.jsonl": "session_end", "claude/max-turns.jsonl": "session_end", "opencode/failures.jsonl": "tool_result"} {
		path := filepath.Join("../../testdata", file)
		require.FileExists(t, path)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		_, stdout, _ := tailspan(string(data), "events", "-")
		found := 0
		for line := range strings.Lines(stdout) {
			var e struct {
				Kind      string  `json:"kind"`
				Error     bool    `json:"error"`
				ErrorText string  `json:"error_text"`
				Duration  float64 `json:"duration_s"`
			}
			require.NoError(t, json.Unmarshal([]byte(line), &e))
			if e.Kind == kind && e.Error {
				found++
				assert.NotEmpty(t, e.ErrorText, line)
				assert.Positive(t, e.Duration, line)
			}
		}
		assert.Positive(t, found, file)
	}
}
