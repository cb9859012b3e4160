package agentstreamreceiver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// TestOldSessionsAreFinished reads sessions not written for a day, and their sub-agents: each has its root and no span lacks
// its parent, long before any timer. A restart reads nothing of them.
func TestOldSessionsAreFinished(t *testing.T) {
	const sessions = 8
	dir, old := t.TempDir(), time.Now().Add(-24*time.Hour)
	family := filepath.Join("..", "..", "testdata", "claude", "families", "subagent")
	for i := range sessions {
		for _, name := range []string{"main.session.jsonl", "agent-aba500ca402cb87b8.session.jsonl", "agent-ad12a344d93e7fc15.session.jsonl"} {
			data, err := os.ReadFile(filepath.Join(family, name))
			require.NoError(t, err)
			path := filepath.Join(dir, strconv.Itoa(i), name)
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

// anyID matches the IDs of Claude Code: of messages and calls, of lines and sessions, of agents.
var anyID = regexp.MustCompile(`\b((msg|toolu)_01\w{22}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|a[0-9a-f]{16})\b`)

// renamed replaces the IDs of a session and of everything in it.
func renamed(data []byte, n int) []byte {
	return anyID.ReplaceAllFunc(data, func(id []byte) []byte { return fmt.Appendf(nil, "%s%02d", id[:len(id)-2], n) })
}

// TestOldParentsAreFinished reads the file of a session whose sub-agents' files do not exist yet: the next process has to read
// none of it again, and the sub-agents are linked as if everything were read at once.
func TestOldParentsAreFinished(t *testing.T) {
	old := time.Now().Add(-24 * time.Hour)
	for name, paths := range families(t) {
		if strings.HasSuffix(name, "/fork") {
			continue // it has no sub-agents
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put := func(paths []string) (names []string) {
				for _, path := range paths {
					_, below, found := strings.Cut(filepath.ToSlash(path), "/families/"+filepath.Base(name)+"/")
					require.True(t, found, path)
					data, err := os.ReadFile(path)
					require.NoError(t, err)
					to := filepath.Join(dir, below)
					require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o700))
					require.NoError(t, os.WriteFile(to, data, 0o600))
					require.NoError(t, os.Chtimes(to, old, old))
					names = append(names, to)
				}
				return names
			}
			config := func() *agentstreamreceiver.Config {
				cfg := stored(filepath.Join(dir, "**", "*.json*"))
				cfg.Telemetry.ParentWait = time.Second // the agents of Claude Code 2.0.50 that name a topic have no call
				cfg.Telemetry.EndGrace = time.Second   // how long a run waits for sub-agents that have no file
				return cfg
			}
			hanging := func(rigs ...*rig) (list []string) {
				for _, r := range rigs {
					list = append(list, r.spanIDs()...)
				}
				slices.Sort(list)
				return list
			}
			roots := func(r *rig) int { return spansOf(r, "invoke_agent "+parser.InfoOf(filepath.Dir(name)).ServiceName) }

			parents := slices.IndexFunc(paths, func(p string) bool { return parentFirst(p) > 0 })
			put(paths[:parents])
			m := newMachine()
			first := startOn(t, m, config(), nil)
			require.Eventually(t, func() bool { return roots(first) > 0 && m.complete(parents) }, wait, tick)
			first.stop()
			require.True(t, m.complete(parents))
			put(paths[parents:])
			second := startOn(t, m, config(), nil)
			require.Eventually(t, func() bool { return m.complete(len(paths)) }, wait, tick)
			second.stop()

			whole := startOn(t, newMachine(), config(), nil)
			require.Eventually(t, func() bool { return len(whole.spans()) == len(first.spans())+len(second.spans()) }, wait, tick)
			whole.stop()
			assert.Equal(t, hanging(whole), hanging(first, second))
		})
	}
}

// complete reports whether that many files and documents are known, and none of them has to be read again.
func (m *machine) complete(n int) bool {
	for key, value := range m.Values() {
		if !strings.HasPrefix(key, "file/") && !strings.HasPrefix(key, "item/") {
			continue
		}
		_, body, _ := bytes.Cut(value, []byte("\n"))
		var c struct {
			Pending bool `json:"pending"`
		}
		if json.Unmarshal(body, &c) != nil || c.Pending {
			return false
		}
		n--
	}
	return n == 0
}

// TestOldSessionIsOneBatch reads a session that ended long ago: the end of its run is exported with its last lines.
func TestOldSessionIsOneBatch(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "claude", "case-cache-write-tiers.session.jsonl"))
	require.NoError(t, err)
	path, old := filepath.Join(t.TempDir(), "a.jsonl"), time.Now().Add(-24*time.Hour)
	require.NoError(t, os.WriteFile(path, data, 0o600))
	require.NoError(t, os.Chtimes(path, old, old))
	r := start(t, configFor(path), nil)
	require.Eventually(t, func() bool { return spansOf(r, "invoke_agent claude-code") == 1 }, wait, tick)
	r.stop()
	assert.Len(t, r.traces.AllTraces(), 1)
	assert.Len(t, r.logs.AllLogs(), 1)
}
