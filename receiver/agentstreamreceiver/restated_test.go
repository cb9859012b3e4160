package agentstreamreceiver_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/storagetest"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// restarts runs consecutive receivers and collects their output.
type restarts struct {
	t    *testing.T
	cfg  *agentstreamreceiver.Config
	m    *machine
	now  *rig
	uids []string
	ids  []string

	before map[string][]byte // content of the disk at the last snapshot, for the next kill
}

func newRestarts(t *testing.T, cfg *agentstreamreceiver.Config) *restarts {
	cfg.Storage = &storagetest.ID
	r := &restarts{t: t, cfg: cfg, m: newMachine(), before: map[string][]byte{}}
	r.now = startOn(t, r.m, cfg, nil)
	return r
}

// restart stops the receiver and starts another, with the content of the disk; killed, with its previous content, so that
// everything acknowledged since is repeated.
func (r *restarts) restart(before map[string][]byte) {
	r.stop()
	if before != nil {
		r.m.Restore(before)
	}
	r.now = startOn(r.t, r.m, r.cfg, nil)
}

// maybe restarts the receiver if the die shows 0, and takes a snapshot of the disk, for a later kill, if it shows 1.
func (r *restarts) maybe(die int, kill bool) {
	switch die {
	case 0:
		if kill {
			r.restart(r.before)
		} else {
			r.restart(nil)
		}
	case 1:
		r.before = r.m.Values()
	}
}

func (r *restarts) stop() {
	r.now.stop()
	r.uids = append(r.uids, r.now.uids()...)
	r.ids = append(r.ids, r.now.spanIDs()...)
	slices.Sort(r.uids)
	slices.Sort(r.ids)
}

// sameAs compares with the output of one process. A killed process may have exported the same twice, with the same IDs.
func (r *restarts) sameAs(once *rig, killed bool, hint string) {
	r.t.Helper()
	uids, ids := r.uids, r.ids
	if killed {
		uids, ids = slices.Compact(slices.Clone(uids)), slices.Compact(slices.Clone(ids))
	}
	require.Equal(r.t, once.uids(), uids, hint)
	require.Equal(r.t, once.spanIDs(), ids, hint)
}

// lines returns how many lines of a provider were read.
func (r *rig) lines(provider string) int64 {
	return r.metric("otelcol_receiver_agent_stream_lines", "provider", provider)
}

// TestDatabaseOverRestarts follows a database through each state in the event log of a real session, with random stops and
// kills in between: together the processes export what one exports that reads it when it is done.
func TestDatabaseOverRestarts(t *testing.T) {
	log, err := os.ReadFile(filepath.Join(samples, "opencode", "subagent.log.jsonl"))
	require.NoError(t, err)
	steps := strings.Split(strings.TrimSpace(string(log)), "\n")
	for _, kill := range []bool{false, true} {
		for seed := range uint64(3) {
			hint := fmt.Sprintf("seed %d, killed %v", seed, kill)
			rng := rand.New(rand.NewPCG(seed, 5))
			home := t.TempDir()
			agent := newOpenCode(t, filepath.Join(home, "opencode.db"))
			cfg := configFor(filepath.Join(home, "**"))
			cfg.Stream.ForceFlushPeriod = 10 * time.Millisecond
			r := newRestarts(t, cfg)
			for i, step := range steps {
				read := r.now.lines("opencode")
				agent.logged(step)
				// And wait until it is seen. What a process finds when it starts may count as acknowledged, and is not counted.
				if rng.IntN(6) == 0 && read > 0 {
					require.Eventually(t, func() bool { return r.now.lines("opencode") > read }, wait, tick, "%s, step %d", hint, i)
				}
				r.maybe(rng.IntN(12), kill)
			}
			once := start(t, configFor(filepath.Join(home, "**")), nil)
			require.Eventually(t, func() bool { return slices.Contains(once.spanNames(), "invoke_agent opencode") }, wait, tick, hint)
			once.stop()
			want := len(once.uids()) + len(once.spanIDs())
			got := func() int {
				return len(slices.Compact(slices.Sorted(slices.Values(append(r.now.uids(), r.uids...))))) +
					len(slices.Compact(slices.Sorted(slices.Values(append(r.now.spanIDs(), r.ids...)))))
			}
			assert.Eventually(t, func() bool { return got() >= want }, wait, tick, hint)
			r.stop()
			r.sameAs(once, kill, hint)

			r.now = startOn(t, r.m, cfg, nil)
			r.now.stop()
			assert.Empty(t, r.now.list(), "nothing is new, %s", hint)
		}
	}
}

// TestDocumentOverRestarts follows a Gemini session that is rewritten with each message, with stops and kills in between.
func TestDocumentOverRestarts(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join(samples, "gemini", "parity-0.38.2.session.json"))
	require.NoError(t, err)
	var session map[string]json.RawMessage
	var messages []json.RawMessage
	require.NoError(t, json.Unmarshal(whole, &session))
	require.NoError(t, json.Unmarshal(session["messages"], &messages))
	for _, kill := range []bool{false, true} {
		for seed := range uint64(3) {
			hint := fmt.Sprintf("seed %d, killed %v", seed, kill)
			rng := rand.New(rand.NewPCG(seed, 5))
			home := t.TempDir()
			path := filepath.Join(home, "chats", "session-1.json")
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			r := newRestarts(t, configFor(filepath.Join(home, "**")))
			for n := range messages {
				some, err := json.Marshal(messages[:n+1])
				require.NoError(t, err)
				session["messages"] = some
				state, err := json.Marshal(session)
				require.NoError(t, err)
				read := r.now.sum("otelcol_receiver_agent_stream_bytes")
				require.NoError(t, os.WriteFile(path, state, 0o600))
				if rng.IntN(2) == 0 || n == len(messages)-1 {
					require.Eventually(t, func() bool { return r.now.sum("otelcol_receiver_agent_stream_bytes") > read }, wait, tick, "%s, state %d", hint, n)
				}
				r.maybe(rng.IntN(3), kill)
			}
			once := start(t, configFor(filepath.Join(home, "**")), nil)
			require.Eventually(t, func() bool { return once.sum("otelcol_receiver_agent_stream_bytes") > 0 }, wait, tick)
			once.stop()
			all := func() []string {
				return slices.Compact(slices.Sorted(slices.Values(append(r.now.uids(), r.uids...))))
			}
			require.Eventually(t, func() bool { return len(all()) >= len(once.uids()) }, wait, tick, hint)
			r.stop()
			uids, ids := r.uids, r.ids
			if kill {
				uids, ids = slices.Compact(uids), slices.Compact(ids)
			}
			require.Equal(t, once.uids(), uids, hint)
			// The run and its last model call are open over a restart.
			open := slices.DeleteFunc(once.spanIDs(), func(id string) bool { return slices.Contains(ids, id) })
			require.Len(t, open, 2, hint)
			require.Equal(t, len(once.spanIDs()), len(ids)+len(open), "none twice, and none that is not in it: "+hint)
			require.True(t, strings.HasPrefix(open[0], "chat ") && strings.HasPrefix(open[1], "invoke_agent "), "%s: %q", hint, open)
		}
	}
}
