package agentstreamreceiver_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFailedRunWaitsForNothing: a run that failed before the model answered is exported with its last line, as if that was read
// live. No other account of it has tokens that its stream lacks.
func TestFailedRunWaitsForNothing(t *testing.T) {
	for _, file := range []string{"claude/fatal-401.jsonl", "codex/bad-request-0.29.jsonl", "gemini/fatal-401.jsonl", "qwen/fatal-401.stream.jsonl"} {
		t.Run(file, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			appendLines(t, path, session(t, filepath.FromSlash(file))...)
			m := newMachine()
			r := startOn(t, m, stored(path), nil)
			r.read(m, path)
			r.stop()
			assert.Len(t, r.outcomes(), 1, "one run")
		})
	}
}
