package agentstreamreceiver

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/otlpjson"
)

// TestOldSessionsAreFinished reads sessions that nobody has written to for a day, and their sub-agents: each has its root
// and nothing hangs in the air, long before anything waits for a timer. A restart reads nothing of them.
func TestOldSessionsAreFinished(t *testing.T) {
	const sessions = 8
	dir, old := t.TempDir(), time.Now().Add(-24*time.Hour)
	family := filepath.Join("..", "..", "testdata", "claude", "families", "subagent")
	for i := range sessions {
		for _, name := range []string{"main.session.jsonl", "agent-aba500ca402cb87b8.session.jsonl", "agent-ad12a344d93e7fc15.session.jsonl"} {
			data, err := os.ReadFile(filepath.Join(family, name))
			require.NoError(t, err)
			path := filepath.Join(dir, fmt.Sprint(i), name)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			require.NoError(t, os.WriteFile(path, renamed(data, i), 0o600))
			require.NoError(t, os.Chtimes(path, old, old))
		}
	}
	m, cfg := newMachine(), stored(filepath.Join(dir, "*", "*.jsonl"))
	cfg.Telemetry.EndGrace, cfg.Telemetry.ParentWait = time.Hour, time.Hour
	r := startOn(t, m, cfg, nil)
	require.Eventually(t, func() bool {
		return spansOf(r, "invoke_agent claude-code") == sessions &&
			spansOf(r, "invoke_agent general-purpose")+spansOf(r, "invoke_agent Explore") == 2*sessions &&
			len(otlpjson.Check(r.traces.AllTraces()...)) == 0
	}, wait, tick)
	r.stop()

	again := startOn(t, m, cfg, nil)
	require.Eventually(t, func() bool { return again.metric("otelcol_receiver_agent_stream_files_known", "", "") == 3*sessions }, wait, tick)
	again.stop()
	assert.Zero(t, again.metric("otelcol_receiver_agent_stream_bytes", "", ""))
	assert.Empty(t, again.list())
}

// anyID matches the ids of Claude Code: of messages and calls, of lines and sessions, of agents.
var anyID = regexp.MustCompile(`\b((msg|toolu)_01\w{22}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|a[0-9a-f]{16})\b`)

// renamed gives a session and all that is in it other ids.
func renamed(data []byte, n int) []byte {
	return anyID.ReplaceAllFunc(data, func(id []byte) []byte { return fmt.Appendf(nil, "%s%02d", id[:len(id)-2], n) })
}
