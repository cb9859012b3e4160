package stacktest_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// copies are recordings that mostly repeat another session: their lines are exported with that session only.
var copies = []string{"claude.resume-fork.session"}

// costElsewhere lists recordings whose cost is in the metrics but not on the spans of their top runs.
var costElsewhere = map[string]string{
	"claude.interactive.session":       "it was written when the program exited, after the span of the last run",
	"opencode.subagent-1.1.65.storage": "the sub-agent is a session of its own, with its own cost",
	"opencode.subagent.log":            "the same",
	"opencode.subagent.session":        "the same",
}

// readFixtures returns the recordings of testdata, one file each. Their truth is the summary of `tailspan events`, which sums up
// the lines without spans, metrics or a collector.
func readFixtures(t *testing.T) []recording {
	t.Helper()
	var all []recording
	for _, provider := range []string{"claude", "codex", "gemini", "opencode", "qwen"} {
		paths, err := filepath.Glob(filepath.Join(root, "testdata", provider, "*.jsonl"))
		require.NoError(t, err)
		for _, path := range paths {
			file := filepath.Base(path)
			if strings.HasPrefix(file, "case-") {
				continue // made up: several share their IDs
			}
			out, err := exec.CommandContext(t.Context(), os.Getenv("TAILSPAN_COMMAND"), "events", path).Output()
			require.NoError(t, err, path)
			lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
			var summary struct {
				Usage map[string]float64 `json:"usage"`
				Cost  *float64           `json:"cost_usd"`
			}
			require.NoError(t, json.Unmarshal(lines[len(lines)-1], &summary), path)
			r := recording{name: provider + "." + strings.TrimSuffix(file, ".jsonl"), dir: filepath.Dir(path)}
			if slices.Contains(copies, r.name) {
				continue
			}
			r.Files = append(r.Files, recordedFile{From: file, To: file})
			r.truth.Tokens = map[string]any{"input": summary.Usage["input_tokens"], "output": summary.Usage["output_tokens"], "cache_read": summary.Usage["cache_read_tokens"]}
			r.truth.Cost = summary.Cost
			all = append(all, r)
		}
	}
	return all
}
