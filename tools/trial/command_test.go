package trial

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCommandOutlivesTheCollector kills the collector while one of its commands is running. The command continues.
// The next collector runs another one immediately, and reads the output of the first one when that has ended.
func TestCommandOutlivesTheCollector(t *testing.T) {
	built(t, "TAILSPAN_COLLECTOR")
	const agent = `said() { printf '{"type":"assistant","sessionId":"%s","uuid":"%s-u%s","timestamp":"2026-11-01T10:00:00.00%sZ","message":{"id":"msg_%s_%s","role":"assistant","model":"m","content":[{"type":"text","text":"%s %s"}]}}\n' \
		"$SESSION" "$SESSION" "$1" "$1" "$SESSION" "$1" "$SESSION" "$1"; }
		said 1; until [ -e "$GO" ]; do sleep 0.02; done; said 2; said 3`
	texts, dir := newTexts(t), t.TempDir()
	goOn := filepath.Join(dir, "go")
	run := func(session string) *collectorRun {
		command, err := json.Marshal(map[string]any{
			"command": []string{"sh", "-c", agent}, "provider": "claude", "env": map[string]string{"SESSION": session, "GO": goOn},
		})
		require.NoError(t, err)
		c := startCollector(t, collectorSetup{
			include: []string{filepath.Join(dir, "*.jsonl")}, endpoint: texts.server.URL, store: filepath.Join(dir, "store"),
			gates: "receiver.agent_stream.commands",
			more:  fmt.Sprintf("receivers: {agent_stream: {commands: [%s], spool: {directory: %q}}}", command, filepath.Join(dir, "spools")),
		})
		c.ready()
		return c
	}
	seen := func(text string) func() bool {
		return func() bool {
			texts.mu.Lock()
			defer texts.mu.Unlock()
			return texts.seen[text] > 0
		}
	}
	first := run("one")
	require.Eventually(t, seen("one 1"), 30*time.Second, 10*time.Millisecond)
	first.end(syscall.SIGKILL)
	second := run("two")
	require.Eventually(t, seen("two 1"), 30*time.Second, 10*time.Millisecond)
	require.False(t, seen("one 2")())
	require.NoError(t, os.WriteFile(goOn, nil, 0o600))
	for _, text := range []string{"one 2", "one 3", "two 2", "two 3"} {
		require.Eventually(t, seen(text), 30*time.Second, 10*time.Millisecond, text)
	}
	require.Eventually(t, func() bool {
		left, err := filepath.Glob(filepath.Join(dir, "spools", "*", "*.spool"))
		return err == nil && len(left) == 0
	}, 30*time.Second, 10*time.Millisecond, "spools are removed")
	second.end(syscall.SIGTERM)
	texts.mu.Lock()
	defer texts.mu.Unlock()
	for text, n := range texts.seen {
		if text != "one 1" { // the batch that was not stored yet
			assert.Equal(t, 1, n, text)
		}
	}
	assert.Len(t, texts.seen, 6)
}
