//go:build unix

package agentstreamreceiver_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/internal/storagetest"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// piped is a configuration with one FIFO, which it creates, and a separate folder for spools.
func piped(t *testing.T) (cfg *agentstreamreceiver.Config, fifo string) {
	t.Helper()
	fifo = filepath.Join(t.TempDir(), "agent.fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	cfg = configFor()
	cfg.Pipes = []config.Pipe{{Path: fifo}}
	cfg.Spool.Directory = filepath.Join(t.TempDir(), "spools")
	cfg.Stream.PollInterval = 10 * time.Millisecond
	return cfg, fifo
}

// spools lists the files in the folder of spools.
func spools(t *testing.T, cfg *agentstreamreceiver.Config) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(cfg.Spool.Directory, "*", "*.spool"))
	require.NoError(t, err)
	return left
}

// openWriter opens a FIFO as an agent does; it waits for a reader.
func openWriter(t *testing.T, fifo string) *os.File {
	t.Helper()
	w, err := os.OpenFile(fifo, os.O_WRONLY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func say(t *testing.T, w *os.File, lines ...[]byte) {
	t.Helper()
	for _, line := range lines {
		_, err := w.Write(line)
		require.NoError(t, err)
	}
}

// textLine is a text of Claude Code.
func textLine(session string, n int) []byte {
	return fmt.Appendf(nil, `{"type":"assistant","session_id":%q,"uuid":"%s-%d","message":{"id":"m%d","role":"assistant","model":"m","content":[{"type":"text","text":"line %d"}]}}`+"\n", session, session, n, n, n)
}

func wantTexts(n int) []string {
	var want []string
	for i := range n {
		want = append(want, fmt.Sprintf("line %d", i))
	}
	return want
}

// TestFIFO has two consecutive writers: each is a separate stream, exported while it is written, and no spool remains.
func TestFIFO(t *testing.T) {
	cfg, fifo := piped(t)
	cfg.Pipes[0].Persona, cfg.Pipes[0].Pipeline = "fixer", config.Pipeline{Name: "nightly", RunID: "7", Task: "fix"}
	cfg.Pipes[0].Resource = map[string]string{"team": "ops"}
	r := start(t, cfg, nil)

	w := openWriter(t, fifo)
	lines := session(t, "claude", "parity.jsonl")
	say(t, w, lines[:len(lines)-1]...)
	require.Eventually(t, func() bool { return len(r.texts()) > 0 }, wait, tick, "while the writer is at work")
	require.Len(t, spools(t, cfg), 1)
	assert.NotContains(t, r.spanNames(), "invoke_agent fixer")
	say(t, w, lines[len(lines)-1])
	require.NoError(t, w.Close())
	require.Eventually(t, func() bool { return spansOf(r, "invoke_agent fixer") == 1 && len(spools(t, cfg)) == 0 }, wait, tick)

	w = openWriter(t, fifo)
	say(t, w, textLine("s2", 1))
	require.NoError(t, w.Close())
	require.Eventually(t, func() bool { return spansOf(r, "invoke_agent fixer") == 2 && len(spools(t, cfg)) == 0 }, wait, tick)
	r.stop()
	for _, td := range r.traces.AllTraces() {
		for _, rs := range td.ResourceSpans().All() {
			attrs := rs.Resource().Attributes().AsRaw()
			assert.Equal(t, "ops", attrs["team"])
			assert.Equal(t, "nightly", attrs[otlp.AttrPipelineName])
		}
	}
	assert.Zero(t, r.metric("otelcol_receiver_agent_stream_lag", "provider", "claude"))
	assert.Positive(t, r.sum("otelcol_receiver_agent_stream_bytes"))
}

// TestPipeProviderAndPath has a configured format, and a path that contains the identity of the work.
func TestPipeProviderAndPath(t *testing.T) {
	cfg, fifo := piped(t)
	cfg.Identity.PathPattern = "{cicd.pipeline.task.name}.fifo"
	cfg.Pipes[0].Provider = "none"
	r := start(t, cfg, nil)
	w := openWriter(t, fifo)
	say(t, w, textLine("s", 1))
	require.Eventually(t, func() bool { return len(r.raw()) == 1 }, wait, tick)
	require.NoError(t, w.Close())
	r.stop()
	task, _ := r.logs.AllLogs()[0].ResourceLogs().At(0).Resource().Attributes().Get(otlp.AttrTaskName)
	assert.Equal(t, "agent", task.Str())
}

// valve is a consumer that refuses until it is opened.
type valve struct {
	*consumertest.LogsSink
	open    atomic.Bool
	refused atomic.Int64
}

func (g *valve) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	if !g.open.Load() {
		g.refused.Add(1)
		return errors.New("not now")
	}
	return g.LogsSink.ConsumeLogs(ctx, ld)
}

func (g *valve) texts() []string {
	r := rig{logs: g.LogsSink}
	return r.texts()
}

// TestFIFOWithARefusingConsumer checks that telemetry never blocks a writer, and that nothing is lost.
func TestFIFOWithARefusingConsumer(t *testing.T) {
	cfg, fifo := piped(t)
	g := &valve{LogsSink: &consumertest.LogsSink{}}
	r := start(t, cfg, g)
	const lines = 4000 // many times the capacity of a FIFO
	w := openWriter(t, fifo)
	for i := range lines {
		say(t, w, textLine("s", i))
	}
	require.NoError(t, w.Close(), "the writer is done although nothing is taken")
	require.Eventually(t, func() bool {
		return g.refused.Load() > 0 && r.metric("otelcol_receiver_agent_stream_lag", "provider", "claude") > 500_000
	}, wait, tick)
	assert.Empty(t, g.texts())
	g.open.Store(true)
	require.Eventually(t, func() bool { return len(spools(t, cfg)) == 0 }, 30*time.Second, tick)
	assert.Equal(t, wantTexts(lines), g.texts(), "in order, each once")
	r.stop()
}

// TestFIFOOverARestart stops the receiver while the consumer refuses: the content of the spool is exported after the restart,
// that of the next writer too, and nothing twice.
func TestFIFOOverARestart(t *testing.T) {
	for _, stored := range []bool{true, false} {
		t.Run(fmt.Sprint("storage ", stored), func(t *testing.T) {
			cfg, fifo := piped(t)
			m := newMachine()
			if stored {
				cfg.Storage = &storagetest.ID
			}
			g := &valve{LogsSink: &consumertest.LogsSink{}}
			g.open.Store(true)
			first := startOn(t, m, cfg, g)
			w := openWriter(t, fifo)
			say(t, w, textLine("s", 0), textLine("s", 1))
			require.Eventually(t, func() bool { return len(g.texts()) == 2 }, wait, tick)
			g.open.Store(false)
			say(t, w, textLine("s", 2), textLine("s", 3))
			require.Eventually(t, func() bool { return g.refused.Load() > 0 }, wait, tick)
			first.stopAnyhow()
			require.Len(t, spools(t, cfg), 1)
			require.Len(t, first.logged.FilterMessageSnippet("keeping its spool").All(), 1)

			_, err := w.Write(textLine("s", 9))
			require.ErrorIs(t, err, syscall.EPIPE, "nobody reads")
			require.NoError(t, w.Close())
			second := startOn(t, m, cfg, nil)
			w = openWriter(t, fifo)
			say(t, w, textLine("s", 4), textLine("s", 5))
			require.NoError(t, w.Close())
			want := wantTexts(6)
			if stored {
				want = want[2:]
			} // otherwise the spool is read from its beginning: the same IDs
			require.Eventually(t, func() bool { return len(second.texts()) >= len(want) && len(spools(t, cfg)) == 0 }, wait, tick)
			second.stop()
			assert.Equal(t, want, second.texts())
			for key := range m.Values() {
				assert.False(t, strings.HasPrefix(key, "spool/"), key)
			}
			third := startOn(t, m, cfg, nil)
			third.stop()
			assert.Empty(t, third.texts())
		})
	}
}

// TestFIFORunOverARestart kills the receiver in the middle of a run: after the restart the run's span has all of its calls,
// each once, with the IDs that they would have had.
func TestFIFORunOverARestart(t *testing.T) {
	cfg, fifo := piped(t)
	cfg.Storage = &storagetest.ID
	m := newMachine()
	lines := session(t, "claude", "parity.jsonl")

	first := startOn(t, m, cfg, nil)
	w := openWriter(t, fifo)
	half := len(lines) / 2
	say(t, w, lines[:half]...)
	first.acceptedSpool(t, m, size(lines[:half]))
	spool := spools(t, cfg)[0]
	asItWas, err := os.ReadFile(spool)
	require.NoError(t, err)
	values := m.Values()
	before := first.list()
	first.stop()

	// What the disk contains if the process is killed instead: the spool, and the position in it. Nothing is known of the rest
	// of the writer's life; here it is in the spool already.
	require.NoError(t, os.WriteFile(spool, append(asItWas, joined(lines[half:])...), 0o600))
	m.Restore(values)
	second := startOn(t, m, cfg, nil)
	require.Eventually(t, func() bool { return len(spools(t, cfg)) == 0 }, wait, tick)
	second.stop()
	assert.Equal(t, 1, spansOf(second, "invoke_agent claude-code"))
	seen := map[string]int{}
	for _, one := range withoutLive(append(before, second.list()...)) {
		seen[one]++
	}
	for one, n := range seen {
		assert.Equal(t, 1, n, one)
	}
}

func size(lines [][]byte) (n int64) {
	for _, line := range lines {
		n += int64(len(line))
	}
	return n
}

func joined(lines [][]byte) (all []byte) {
	for _, line := range lines {
		all = append(all, line...)
	}
	return all
}

// acceptedSpool waits until the position in the only spool is at.
func (r *rig) acceptedSpool(t *testing.T, m *machine, at int64) {
	t.Helper()
	require.Eventually(t, func() bool {
		for key, value := range m.Values() {
			if strings.HasPrefix(key, "spool/") && strings.Contains(string(value), fmt.Sprintf(`"position":%d,`, at)) {
				return true
			}
		}
		return false
	}, wait, tick)
}

// TestFullSpoolOfAPipe checks that a writer whose input is not kept any more notices nothing, that lost input is counted and
// the run marked, and that the next writer is read again.
func TestFullSpoolOfAPipe(t *testing.T) {
	cfg, fifo := piped(t)
	cfg.Spool.MaxSize = 10_000
	m := newMachine()
	r := startOn(t, m, cfg, nil)
	w := openWriter(t, fifo)
	var wrote int64
	for i := range 600 {
		line := textLine("s", i)
		say(t, w, line)
		wrote += int64(len(line))
	}
	require.NoError(t, w.Close())
	require.Eventually(t, func() bool { return spansOf(r, "invoke_agent claude-code") == 1 && len(spools(t, cfg)) == 0 }, wait, tick)
	assert.Equal(t, wrote-10_000, r.metric("otelcol_receiver_agent_stream_input_dropped", "reason", "spool_full"))
	assert.Contains(t, m.statuses(), componentstatus.StatusRecoverableError)
	require.Len(t, r.logged.FilterMessageSnippet("dropping pipe input").All(), 1)

	w = openWriter(t, fifo)
	say(t, w, textLine("t", 3000))
	require.NoError(t, w.Close())
	require.Eventually(t, func() bool { return spansOf(r, "invoke_agent claude-code") == 2 }, wait, tick)
	r.stop()
	reasons := map[string]int{}
	for _, s := range r.spans() {
		if s.Name() == "invoke_agent claude-code" {
			reason, _ := s.Attributes().Get(otlp.AttrCloseReason)
			reasons[reason.Str()]++
		}
	}
	assert.Equal(t, 1, reasons["truncated"], "%v", reasons)
	assert.Equal(t, componentstatus.StatusOK, last(m.statuses()))
}

func last[T any](list []T) T { return list[len(list)-1] }

// TestSpoolThatCannotBe has a folder for spools that was replaced by a file: the writer notices nothing, all is counted, and
// once the folder is back the next writer is read.
func TestSpoolThatCannotBe(t *testing.T) {
	cfg, fifo := piped(t)
	r := start(t, cfg, nil)
	require.NoError(t, os.RemoveAll(cfg.Spool.Directory))
	require.NoError(t, os.WriteFile(cfg.Spool.Directory, []byte("in the way"), 0o600))
	w := openWriter(t, fifo)
	line := textLine("s", 0)
	for range 500 {
		say(t, w, line)
	}
	require.NoError(t, w.Close())
	require.Eventually(t, func() bool {
		return r.metric("otelcol_receiver_agent_stream_input_dropped", "reason", "spool_failed") == int64(500*len(line))
	}, wait, tick)
	logged := r.logged.FilterMessageSnippet("dropping pipe input").All()
	require.Len(t, logged, 1)
	assert.Contains(t, logged[0].ContextMap()["advice"], "spool::directory")

	require.NoError(t, os.Remove(cfg.Spool.Directory))
	// Input written before the end of the last writer was seen counts as that writer's, and is dropped too.
	require.Eventually(t, func() bool {
		w = openWriter(t, fifo)
		say(t, w, line)
		return w.Close() == nil && len(r.texts()) > 0
	}, wait, tick)
	r.stop()
}

// TestFIFOThatComesLate has a path without a FIFO, then with a file, then with a FIFO that is created again.
func TestFIFOThatComesLate(t *testing.T) {
	cfg, fifo := piped(t)
	require.NoError(t, os.Remove(fifo))
	m := newMachine()
	r := startOn(t, m, cfg, nil)
	logged := func(words string) func() bool {
		return func() bool {
			for _, e := range r.logged.FilterMessageSnippet("pipe not opened").All() {
				if strings.Contains(fmt.Sprint(e.ContextMap()["error"]), words) {
					return true
				}
			}
			return false
		}
	}
	require.Eventually(t, logged("no such file"), wait, tick)
	require.NoError(t, os.WriteFile(fifo, textLine("s", 9), 0o600))
	require.Eventually(t, logged("not a fifo"), wait, tick)
	assert.Contains(t, m.statuses(), componentstatus.StatusRecoverableError)
	for i := range 3 {
		require.NoError(t, os.Remove(fifo))
		require.NoError(t, syscall.Mkfifo(fifo, 0o600))
		w := openWriter(t, fifo)
		say(t, w, textLine("s", i))
		require.NoError(t, w.Close())
		require.Eventually(t, func() bool { return len(r.texts()) == i+1 }, wait, tick)
	}
	r.stop()
	assert.Equal(t, wantTexts(3), r.texts())
	assert.LessOrEqual(t, len(r.logged.FilterMessageSnippet("pipe not opened").All()), 2+3, "logged once while it lasts")
	assert.Equal(t, componentstatus.StatusOK, last(m.statuses()))
}

// TestStopWithAWriterAtWork checks that the shutdown closes the spans of a writer that continues, and that they are marked.
func TestStopWithAWriterAtWork(t *testing.T) {
	cfg, fifo := piped(t)
	r := start(t, cfg, nil)
	w := openWriter(t, fifo)
	say(t, w, textLine("s", 0))
	require.Eventually(t, func() bool { return len(r.texts()) == 1 }, wait, tick)
	r.stop()
	require.Equal(t, 1, spansOf(r, "invoke_agent claude-code"))
	for _, s := range r.spans() {
		if s.Name() == "invoke_agent claude-code" {
			reason, _ := s.Attributes().Get(otlp.AttrCloseReason)
			assert.Equal(t, "shutdown", reason.Str())
		}
	}
	assert.Empty(t, spools(t, cfg))
}

// TestTwoReceiversOfOneSpoolDirectory have separate folders in it, except for the same pipe in two processes.
func TestTwoReceiversOfOneSpoolDirectory(t *testing.T) {
	cfg, _ := piped(t)
	other, _ := piped(t)
	other.Spool.Directory = cfg.Spool.Directory
	start(t, cfg, nil)
	start(t, other, nil)

	factory := agentstreamreceiver.NewFactory()
	again := *cfg
	set := receivertest.NewNopSettings(factory.Type())
	set.ID = component.NewID(factory.Type())
	logs, err := factory.CreateLogs(t.Context(), set, &again, consumertest.NewNop())
	require.NoError(t, err)
	err = logs.Start(t.Context(), componenttest.NewNopHost())
	require.ErrorContains(t, err, "pipes[0]: spool::directory: lock folder")
	require.ErrorContains(t, err, "in use by another process")
	require.NoError(t, logs.Shutdown(context.Background()))
}

// TestGlobPassesFIFOsOver checks that a glob never finds a FIFO, that this is logged once, and that files beside it are read.
func TestGlobPassesFIFOsOver(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "a.jsonl"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.jsonl"), textLine("s", 0), 0o600))
	cfg := configFor(filepath.Join(dir, "*"))
	cfg.Stream.PollInterval = 5 * time.Millisecond
	r := start(t, cfg, nil)
	require.Eventually(t, func() bool { return len(r.texts()) == 1 }, wait, tick)
	appendTo(t, filepath.Join(dir, "b.jsonl"), string(textLine("s", 1)))
	require.Eventually(t, func() bool { return len(r.texts()) == 2 }, wait, tick)
	r.stop()
	warned := 0
	for _, e := range r.logged.All() {
		if fmt.Sprint(e.ContextMap()["path"]) == filepath.Join(dir, "a.jsonl") {
			warned++
		}
	}
	assert.Equal(t, 1, warned)
}

func TestPipeErrors(t *testing.T) {
	for want, pipes := range map[string][]config.Pipe{
		`pipes[0]: path must name a FIFO, or "-"`: {{}},
		`pipes[1]: path "/a" is listed twice`:     {{Path: "/a"}, {Path: "/a"}},
		`pipes[0]: provider must be one of`:       {{Path: "/a", Provider: "clod"}},
	} {
		cfg := configFor()
		cfg.Pipes = pipes
		assert.ErrorContains(t, cfg.Validate(), want)
	}
	cfg, _ := piped(t)
	cfg.Spool.MaxSize = 0
	assert.ErrorContains(t, cfg.Validate(), "spool::max_size must be positive, got 0")
}

var _ consumer.Logs = (*valve)(nil)
