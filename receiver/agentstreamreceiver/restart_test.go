package agentstreamreceiver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/internal/storagetest"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

func stored(include ...string) *agentstreamreceiver.Config {
	cfg := configFor(include...)
	cfg.Storage = &storagetest.ID
	cfg.Stream.PollInterval = 20 * time.Millisecond
	return cfg
}

// list names all exported spans and records, as [exports.list] does.
func (r *rig) list() []string {
	e := exports{traces: r.traces.AllTraces(), logs: r.logs.AllLogs()}
	return e.list()
}

// withoutLive removes the records that are exported of a run only while it is followed.
func withoutLive(list []string) []string {
	return slices.DeleteFunc(list, func(s string) bool {
		return strings.HasPrefix(s, "record "+otlp.EventNameStepStarted) || strings.HasPrefix(s, "record "+otlp.EventNameProgress)
	})
}

// spansOf counts the spans with a name.
func spansOf(r *rig, name string) int {
	n := 0
	for _, s := range r.spanNames() {
		if s == name {
			n++
		}
	}
	return n
}

// session returns the lines of a capture.
func session(t *testing.T, path ...string) [][]byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{"..", "..", "testdata"}, path...)...))
	require.NoError(t, err)
	return slices.Collect(bytes.Lines(data))
}

func appendLines(t *testing.T, path string, lines ...[]byte) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	appendTo(t, path, string(bytes.Join(lines, nil)))
}

// read waits until the storage shows that the files were read to their end.
func (r *rig) read(m *machine, paths ...string) {
	r.t.Helper()
	require.Eventually(r.t, func() bool {
		done := map[string]bool{}
		for key, value := range m.Values() {
			if !strings.HasPrefix(key, "file/") {
				continue
			}
			_, body, _ := bytes.Cut(value, []byte("\n"))
			var c struct {
				Path   string `json:"path"`
				Offset int64  `json:"offset"`
				AtEnd  bool   `json:"at_end"`
			}
			require.NoError(r.t, json.Unmarshal(body, &c))
			info, err := os.Stat(c.Path)
			done[c.Path] = err == nil && c.AtEnd && c.Offset == info.Size()
		}
		return !slices.ContainsFunc(paths, func(p string) bool { return !done[p] })
	}, wait, tick)
}

// TestRestartAtEachLine stops the receiver after each line of a session and starts another: together they export what one
// exports, each span and record once. The stop does not close an open run, which has its root in the end.
func TestRestartAtEachLine(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		setBack    bool // the agent's clock, in the middle of the session
	}{
		{"whole", "claude/parity.jsonl", false},
		{"parallel calls", "claude/parallel.jsonl", false},
		{"clock set back", "claude/parallel.jsonl", true},
		{"clock set back, transcript", "codex/parallel.session.jsonl", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines := session(t, filepath.FromSlash(tt.file))
			if tt.setBack {
				setClockBack(t, lines[len(lines)/2:])
			}
			// The same path yields the same IDs if the format has none.
			path := filepath.Join(t.TempDir(), "s.jsonl")
			appendLines(t, path, lines...)
			m := newMachine()
			whole := startOn(t, m, stored(path), nil)
			whole.read(m, path)
			whole.stop()
			want := withoutLive(whole.list())
			require.NotEmpty(t, want)
			for cut := 1; cut < len(lines); cut += 1 + len(lines)/12 {
				require.NoError(t, os.Remove(path))
				appendLines(t, path, lines[:cut]...)
				m := newMachine()
				first := startOn(t, m, stored(path), nil)
				first.read(m, path)
				first.stop()
				appendLines(t, path, lines[cut:]...)
				second := startOn(t, m, stored(path), nil)
				second.read(m, path)
				second.stop()
				got := append(withoutLive(first.list()), withoutLive(second.list())...)
				slices.Sort(got)
				if timed := strings.Contains(tt.file, ".session."); timed {
					require.Equal(t, want, got, "cut before line %d", cut)
				}
				require.Equal(t, untimed(want), untimed(got), "cut before line %d", cut)
				third := startOn(t, m, stored(path), nil)
				third.stop()
				require.Empty(t, third.list(), "cut before line %d", cut)
				require.Zero(t, m.Open(), "the client is closed")
			}
		})
	}
}

// setClockBack sets the times of lines back by two hours.
func setClockBack(t *testing.T, lines [][]byte) {
	t.Helper()
	changed := 0
	stamp := regexp.MustCompile(`"timestamp":"([^"]+)"`)
	for i, line := range lines {
		lines[i] = stamp.ReplaceAllFunc(line, func(b []byte) []byte {
			at, err := time.Parse(time.RFC3339Nano, string(stamp.FindSubmatch(b)[1]))
			require.NoError(t, err)
			changed++
			return []byte(`"timestamp":"` + at.Add(-2*time.Hour).Format(time.RFC3339Nano) + `"`)
		})
	}
	require.NotZero(t, changed)
}

// untimed removes what a session without times takes from the clock and the file.
func untimed(list []string) []string {
	var out []string
	for _, s := range list {
		fields := strings.Fields(s)
		kept := fields[:0]
		for _, f := range fields {
			if strings.HasPrefix(f, "20") && strings.Count(f, "-") == 2 || strings.Count(f, ":") == 2 || f == "+0000" || f == "UTC" || strings.HasPrefix(f, "UTC20") ||
				strings.HasPrefix(f, otlp.AttrTimeSource) || strings.HasPrefix(f, otlp.AttrTimeClamped) {
				continue
			}
			kept = append(kept, f)
		}
		out = append(out, strings.Join(kept, " "))
	}
	slices.Sort(out)
	return out
}

// TestRestartNothingTwice: the receiver's own metrics count a line once, over both processes.
func TestRestartNothingTwice(t *testing.T) {
	lines := session(t, "claude", "parity.jsonl")
	path := filepath.Join(t.TempDir(), "s.jsonl")
	appendLines(t, path, lines[:len(lines)/2]...)
	m := newMachine()
	first := startOn(t, m, stored(path), nil)
	first.read(m, path)
	first.stop()
	appendLines(t, path, lines[len(lines)/2:]...)
	second := startOn(t, m, stored(path), nil)
	second.read(m, path)
	assert.EqualValues(t, len(lines)-len(lines)/2, second.metric("otelcol_receiver_agent_stream_lines", "provider", "claude"))
	second.stop()
	assert.Equal(t, 1, spansOf(first, "invoke_agent claude-code")+spansOf(second, "invoke_agent claude-code"))
	require.NotEmpty(t, m.Asked())
	assert.Equal(t, "Receiver agent_stream ", m.Asked()[0], "kind, id and name that the client was asked for with")
}

// TestRestartSubAgent: a sub-agent's file that grows after its parent is done stays in the parent's trace, although the
// parent's file is not opened again.
func TestRestartSubAgent(t *testing.T) {
	dir := t.TempDir()
	main := session(t, "claude", "families", "subagent", "main.session.jsonl")
	folder := filepath.Join("..", "..", "testdata", "claude", "families", "subagent")
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	require.NoError(t, err)
	var child string
	for _, f := range files {
		if filepath.Base(f) != "main.session.jsonl" {
			child = filepath.Base(f)
		}
	}
	require.NotEmpty(t, child)
	childLines := session(t, "claude", "families", "subagent", child)
	cut := len(childLines) - 2
	appendLines(t, filepath.Join(dir, "main.session.jsonl"), main...)
	appendLines(t, filepath.Join(dir, child), childLines[:cut]...)
	m := newMachine()
	first := startOn(t, m, stored(filepath.Join(dir, "*.jsonl")), nil)
	first.read(m, filepath.Join(dir, "main.session.jsonl"), filepath.Join(dir, child))
	first.stop()
	appendLines(t, filepath.Join(dir, child), childLines[cut:]...)
	second := startOn(t, m, stored(filepath.Join(dir, child)), nil)
	second.read(m, filepath.Join(dir, child))
	second.stop()
	traces := map[string]int{}
	ids := map[string]int{}
	for _, r := range []*rig{first, second} {
		for _, s := range r.spans() {
			traces[s.TraceID().String()]++
			ids[s.SpanID().String()]++
			_, orphan := s.Attributes().Get(otlp.AttrParentUnknown)
			assert.False(t, orphan, s.Name())
		}
		for _, lr := range r.records() {
			traces[lr.TraceID().String()]++
		}
	}
	assert.Len(t, traces, 1)
	for id, n := range ids {
		assert.Equal(t, 1, n, "span %s", id)
	}
	require.NotEmpty(t, second.records())
}

// TestRestartKeepsPipelineSpan: the span of a pipeline is exported once, whenever the receiver stops.
func TestRestartKeepsPipelineSpan(t *testing.T) {
	lines := session(t, "claude", "parity.jsonl")
	path := filepath.Join(t.TempDir(), "s.jsonl")
	appendLines(t, path, lines...)
	cfg := func() *agentstreamreceiver.Config {
		c := stored(path)
		c.Identity.Pipeline.Name, c.Identity.Pipeline.RunID, c.Identity.Pipeline.Task = "nightly", "17", "fix"
		return c
	}
	m := newMachine()
	for i := range 3 {
		if i == 2 {
			appendLines(t, path, lines...) // another run
		}
		r := startOn(t, m, cfg(), nil)
		r.read(m, path)
		r.stop()
		want := 0
		if i == 0 {
			want = 1
		}
		assert.Equal(t, want, spansOf(r, "nightly"), "process %d", i)
		assert.Equal(t, want, spansOf(r, "fix"), "process %d", i)
	}
}

// TestHealth: trouble with a consumer and with the storage, and its end, are reported to the collector once each.
func TestHealth(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	m := newMachine()
	next := &refuser{refuse: 3, refusal: errors.New("queue is full")}
	r := startOn(t, m, stored(path), next)
	appendTo(t, path, assistant("1", "One."))
	require.Eventually(t, func() bool { return next.LogRecordCount() > 0 }, wait, tick)
	want := []componentstatus.Status{componentstatus.StatusRecoverableError, componentstatus.StatusOK}
	require.Eventually(t, func() bool { return slices.Equal(want, m.statuses()) }, wait, tick)
	m.Fail(errors.New("no space left on device"))
	appendTo(t, path, assistant("2", "Two."))
	want = append(want, componentstatus.StatusRecoverableError)
	require.Eventually(t, func() bool { return slices.Equal(want, m.statuses()) }, wait, tick)
	assert.ErrorContains(t, m.events[2].Err(), "no space left on device")
	m.Fail(nil)
	appendTo(t, path, assistant("3", "Three."))
	want = append(want, componentstatus.StatusOK)
	require.Eventually(t, func() bool { return slices.Equal(want, m.statuses()) }, wait, tick)
	assert.Positive(t, r.metric("otelcol_receiver_agent_stream_storage_errors", "", ""))
	r.stop()
}

// blocking is a consumer that accepts nothing until it is unblocked.
type blocking struct {
	consumertest.LogsSink
	mu    sync.Mutex
	ready bool
}

func (c *blocking) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ready {
		return errors.New("not ready")
	}
	return c.LogsSink.ConsumeLogs(ctx, ld)
}

// TestStopWhileRefused: what was not acknowledged when the receiver stops is exported by the next one, once.
func TestStopWhileRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	appendTo(t, path, assistant("1", "One."))
	m := newMachine()
	next := &blocking{}
	first := startOn(t, m, stored(path), next)
	require.Eventually(t, func() bool { return first.metric("otelcol_receiver_agent_stream_retries", "signal", "logs") > 2 }, wait, tick)
	first.stopAnyhow()
	next.ready = true
	second := startOn(t, m, stored(path), next)
	second.read(m, path)
	second.stop()
	third := startOn(t, m, stored(path), next)
	third.stop()
	texts := 0
	for _, ld := range next.AllLogs() {
		texts += ld.LogRecordCount()
	}
	assert.Equal(t, 1, texts)
}

// TestLag: what a consumer has not acknowledged yet, by provider, including what is written while it refuses, to a file being
// read or to one that waits for its turn.
func TestLag(t *testing.T) {
	dir := t.TempDir()
	claude, waits, codex := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl"), filepath.Join(dir, "c.jsonl")
	next := &blocking{ready: true}
	cfg := configFor(filepath.Join(dir, "*.jsonl"))
	cfg.Stream.MaxConcurrentFiles = 1
	r := start(t, cfg, next)
	lag := func(provider string) int64 {
		return r.metric("otelcol_receiver_agent_stream_lag", "provider", provider)
	}
	begun := session(t, "codex", "parity.jsonl")
	elsewhere := func(line string) string { return strings.ReplaceAll(line, `"s"`, `"s2"`) }
	other := elsewhere(assistant("1", "One."))
	appendLines(t, codex, begun[:3]...)
	appendTo(t, waits, other)
	there := int64(len(other) + len(bytes.Join(begun[:3], nil)))
	require.Eventually(t, func() bool {
		return r.sum("otelcol_receiver_agent_stream_bytes") == there && lag("codex") == 0 && lag("claude") == 0
	}, wait, tick)
	open := func(ready bool) {
		next.mu.Lock()
		defer next.mu.Unlock()
		next.ready = ready
	}
	open(false)
	line := assistant("2", "Two.")
	appendTo(t, claude, line)
	require.Eventually(t, func() bool { return lag("claude") == int64(len(line)) }, wait, tick, "what is being read")
	more, besides := assistant("3", "Three."), elsewhere(assistant("4", "Four."))
	appendTo(t, claude, more)
	appendTo(t, waits, besides)
	appendLines(t, codex, begun[3:]...)
	rest := int64(len(bytes.Join(begun[3:], nil)))
	require.Eventually(t, func() bool {
		return lag("claude") == int64(len(line)+len(more)+len(besides)) && lag("codex") == rest
	}, wait, tick, "what comes while nothing is accepted")
	open(true)
	require.Eventually(t, func() bool { return lag("claude") == 0 && lag("codex") == 0 }, wait, tick)
	r.stop()
}

// TestRestartForkOfACompleteSession: a fork that only its IDs distinguish from its parent yields its own events, and none of
// the parent's, even if the parent was complete before a restart and is not opened again.
func TestRestartForkOfACompleteSession(t *testing.T) {
	const prompted = `{"type":"user","sessionId":"%s","uuid":"%s","timestamp":"2026-11-01T10:00:00.%03dZ","message":{"role":"user","content":"Do it."}}` + "\n"
	const said = `{"type":"assistant","sessionId":"%s","uuid":"%s","timestamp":"2026-11-01T10:00:00.%03dZ","message":{"id":"msg_%d","role":"assistant","model":"m","content":[{"type":"text","text":"Done."}]}}` + "\n"
	history := func(session string) []byte {
		return fmt.Appendf(fmt.Appendf(nil, prompted, session, session+"u1", 1), said, session, session+"u2", 2, 1)
	}
	own := fmt.Appendf(fmt.Appendf(nil, prompted, "s2", "s2u3", 3), said, "s2", "s2u4", 4, 2)
	for window, want := range map[time.Duration][]string{time.Hour: {"chat m", "invoke_agent claude-code"}, 0: {"chat m", "chat m", "invoke_agent claude-code", "invoke_agent claude-code"}} {
		dir := t.TempDir()
		cfg := stored(filepath.Join(dir, "*.jsonl"))
		cfg.Stream.IdleClose = 200 * time.Millisecond
		cfg.Telemetry.ForkWindow = window
		m := newMachine()
		appendLines(t, filepath.Join(dir, "parent.jsonl"), history("s1"))
		first := startOn(t, m, cfg, nil)
		require.Eventually(t, func() bool { return slices.Contains(first.spanNames(), "invoke_agent claude-code") }, wait, tick, "it is closed")
		first.stop()
		appendLines(t, filepath.Join(dir, "fork.jsonl"), history("s2"), own)
		second := startOn(t, m, cfg, nil)
		require.Eventually(t, func() bool { return spansOf(second, "invoke_agent claude-code") >= len(want)/2 }, wait, tick)
		second.stop()
		got := second.spanNames()
		slices.Sort(got)
		assert.Equal(t, want, got, "fork_window %v", window)
	}
}
