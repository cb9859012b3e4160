package agentstreamreceiver_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// TestRestartWhileWaitingForAnotherAccount stops or kills the collector while the span of a run that was cut waits for the transcripts.
// They are there when the collector starts again: all tokens are on spans, once, and in the total of the run.
func TestRestartWhileWaitingForAnotherAccount(t *testing.T) {
	for _, run := range killedRuns() {
		if run.provider == "qwen" {
			continue // its stream has all tokens, so nothing waits
		}
		for _, end := range []string{"stopped", "killed"} {
			t.Run(run.provider+" "+run.name+", "+end, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				put := func(files []part) (paths []string) {
					for _, file := range files {
						path := filepath.Join(dir, filepath.Base(filepath.Dir(file.path))+"-"+filepath.Base(file.path))
						require.NoError(t, os.WriteFile(path+".new", file.read(t), 0o600))
						require.NoError(t, os.Chtimes(path+".new", time.Now(), time.Now().Add(-24*time.Hour)))
						require.NoError(t, os.Rename(path+".new", path))
						paths = append(paths, path)
					}
					return paths
				}
				config := func() *agentstreamreceiver.Config { return stored(filepath.Join(dir, "*.jsonl")) }
				m := newMachine()
				first := startOn(t, m, config(), nil)
				first.read(m, put(run.files[:1])...)
				require.Eventually(t, m.awaits, wait, tick, "the state has the span that waits")
				before, values := first.traces.AllTraces(), m.Values()
				require.False(t, slices.ContainsFunc(spansIn(allSpans(before)), isRun), "the span of the run waits")
				first.stop()
				if end == "stopped" {
					before, values = first.traces.AllTraces(), m.Values()
				}
				again := newMachine()
				again.Restore(values)
				paths := put(run.files[1:])
				second := startOn(t, again, config(), nil)
				second.read(again, paths...)
				require.Eventually(t, func() bool { return slices.ContainsFunc(second.spans(), isRun) }, wait, tick)
				second.stop()
				all := onceEach(append(before, second.traces.AllTraces()...))
				assert.Empty(t, otlpjson.Check(all))
				want := usedBy{input: run.input, output: run.output, totalInput: run.input, totalOutput: run.output, incomplete: run.incomplete}
				assert.Equal(t, want, usedOn(spansIn(all)))
			})
		}
	}
}

// awaits reports whether the stored state has a span that waits.
func (m *machine) awaits() bool {
	for _, value := range m.Values() {
		_, body, _ := bytes.Cut(value, []byte("\n"))
		var c struct{ State []byte }
		if json.Unmarshal(body, &c) == nil && bytes.Contains(c.State, []byte(`"unwritten"`)) {
			return true
		}
	}
	return false
}

// onceEach returns the spans without those that were exported again after a kill.
func onceEach(list []ptrace.Traces) ptrace.Traces {
	all, seen := allSpans(list), map[string]bool{}
	for _, rs := range all.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			ss.Spans().RemoveIf(func(s ptrace.Span) bool {
				id := s.TraceID().String() + s.SpanID().String()
				again := seen[id]
				seen[id] = true
				return again
			})
		}
	}
	return all
}
