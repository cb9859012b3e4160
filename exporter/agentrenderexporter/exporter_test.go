package agentrenderexporter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.uber.org/zap"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/exporter/agentrenderexporter/internal/metadata"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/telemetry"
)

// flakyOutput accepts a number of bytes and fails after that.
type flakyOutput struct {
	mu     sync.Mutex
	text   bytes.Buffer
	allow  int // bytes; negative: all
	writes int
	closed bool
}

var errFull = errors.New("disk full")

func (o *flakyOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writes++
	n := len(p)
	if o.allow >= 0 {
		n = min(n, o.allow)
		o.allow -= n
	}
	o.text.Write(p[:n]) // a bytes.Buffer never fails
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

func (o *flakyOutput) Close() error { o.closed = true; return nil }

func (o *flakyOutput) permit(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.allow = n
}

func (o *flakyOutput) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// started returns a running exporter over out. It has no goroutine, so a test need not shut it down.
func started(t *testing.T, out *flakyOutput, change func(*Config)) exporter.Logs {
	t.Helper()
	return startedWith(t, exportertest.NewNopSettings(metadata.Type), out, change)
}

func startedWith(t *testing.T, set exporter.Settings, out io.WriteCloser, change func(*Config)) exporter.Logs {
	t.Helper()
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	cfg.RetryConfig.Enabled = false
	if change != nil {
		change(cfg)
	}
	require.NoError(t, cfg.Validate())
	e, err := newExporter(cfg, set.TelemetrySettings, opensOnly(out))
	require.NoError(t, err)
	exp, err := wrap(t.Context(), set, cfg, e)
	require.NoError(t, err)
	require.NoError(t, exp.Start(t.Context(), componenttest.NewNopHost()))
	return exp
}

// opensOnly opens the same output for every path.
func opensOnly(out io.WriteCloser) openFunc {
	return func(string) (io.WriteCloser, error) { return out, nil }
}

// item is a record to create: an event of a session, or a raw line.
type item struct {
	service, session, uid string
	event                 events.DisplayEvent
	raw                   string
}

func text(session, words string) item {
	return item{session: session, event: events.DisplayEvent{Kind: events.KindText, Text: words}}
}

func delta(session, words string) item {
	i := text(session, words)
	i.event.Delta = true
	return i
}

// records builds a batch by hand, one resource per item.
func records(items ...item) plog.Logs {
	logs := plog.NewLogs()
	for _, i := range items {
		rl := logs.ResourceLogs().AppendEmpty()
		rl.Resource().Attributes().PutStr(otlp.AttrServiceName, i.service)
		lr := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
		lr.SetEventName("tailspan." + i.event.Kind.String())
		lr.Body().SetStr(i.event.Text)
		if i.raw != "" {
			lr.SetEventName(otlp.EventNameRaw)
			if utf8.ValidString(i.raw) {
				lr.Body().SetStr(i.raw)
			} else {
				lr.Body().SetEmptyBytes().FromRaw([]byte(i.raw))
			}
		}
		lr.Attributes().PutStr(otlp.AttrGenAIConversationID, i.session)
		if i.event.Delta {
			lr.Attributes().PutBool(otlp.AttrDelta, true)
		}
		if i.event.Tool.Name != "" {
			lr.Attributes().PutStr(otlp.AttrGenAIToolName, i.event.Tool.Name)
			lr.Attributes().PutStr(otlp.AttrToolTarget, i.event.Tool.Target)
		}
		if i.uid != "" {
			lr.Attributes().PutStr(otlp.AttrLogRecordUID, i.uid)
		}
	}
	logs.MarkReadOnly()
	return logs
}

// run is a run of an agent with everything that a style may show.
func run() []events.DisplayEvent {
	all := []events.DisplayEvent{
		{Kind: events.KindSessionStarted, Model: "demo-1", Session: &events.Session{Version: "1"}},
		{Kind: events.KindText, MessageID: "m1", Text: "I look.\x1b[2J"},
		{Kind: events.KindToolUse, MessageID: "m1", Tool: events.Tool{ID: "t1", Name: "Read", Target: "src/auth.ts"}},
		{Kind: events.KindToolResult, Tool: events.Tool{ID: "t1", Name: "Read", Target: "src/auth.ts", Lines: 12, HasLines: true, Summary: "package auth"}},
		{Kind: events.KindToolUse, MessageID: "m2", Tool: events.Tool{ID: "t2", Name: "Task", Target: "Count names", AgentType: "Explore"}},
		{Kind: events.KindToolUse, ParentID: "t2", MessageID: "m3", Tool: events.Tool{ID: "t3", Name: "Grep", Target: "func "}},
		{Kind: events.KindToolResult, ParentID: "t2", Tool: events.Tool{ID: "t3", Name: "Grep", Target: "func ", Error: true, Err: "no such folder"}},
		{Kind: events.KindToolResult, Tool: events.Tool{ID: "t2", Name: "Task", Target: "Count names", Summary: "3 names"}},
		{Kind: events.KindNotice, Text: "retry 1 of 10", Notice: events.Notice{Level: events.LevelWarn, Code: events.NoticeAPIRetry}},
		{Kind: events.KindApprovalRequest, Approval: &events.Approval{ID: "a1", Tool: "Bash", Subject: "rm -r build"}},
		{Kind: events.KindAskRequest, Ask: &events.Ask{ID: "q1", Questions: []events.AskQuestion{{Prompt: "Which?", Options: []events.AskOption{{Label: "a"}}}}}},
		{Kind: events.KindTurnAborted, End: &events.End{Principle: "do no harm"}},
		{Kind: events.KindText, MessageID: "m4", Text: "Done.\n"},
		{Kind: events.KindUsage, MessageID: "m4", Usage: &events.Usage{Tokens: events.Tokens{Input: 3}}},
		{Kind: events.KindSessionEnded, End: &events.End{Error: true, Err: "out of turns", Code: "error_max_turns", Duration: 4100 * time.Millisecond}},
	}
	for i := range all {
		all[i].SessionID = "1a2b3c4d-0000-4000-8000-000000000001"
		all[i].Time = time.Date(2026, 11, 27, 9, 0, i, 0, time.UTC)
	}
	return all
}

// recordsOf creates records of events as the receiver does.
func recordsOf(evs []events.DisplayEvent) plog.Logs {
	settings := telemetry.StreamSettings{ID: "stream"}
	settings.Agent.Provider, settings.Agent.ServiceName = "claude", "claude-code"
	stream := telemetry.NewRegistry(telemetry.NewDefaultSettings()).Open(settings)
	for i := range evs {
		stream.Feed(telemetry.Line{Offset: int64(i)}, evs[i:i+1])
	}
	stream.Close(otlp.CloseReasonShutdown)
	return stream.Take().Logs
}

// TestRecordsLookLikeTheirEvents checks that rendering records gives the same text as rendering their events, in every mode
// and style, although the exporter has only the records.
func TestRecordsLookLikeTheirEvents(t *testing.T) {
	for mode := render.ModeDefault; mode < render.ModeJSON; mode++ {
		for style := render.StyleMarker; style <= render.StyleActivity; style++ {
			t.Run(fmt.Sprintf("%s %s", mode, style), func(t *testing.T) {
				var want bytes.Buffer
				s := render.Settings{Mode: mode, Style: style, Summary: true, Results: true}
				log := render.NewLog(&want, render.LogSettings{Settings: s, Introduce: true, Throttle: render.ThrottleSettings{ByEventTime: true}})
				r := log.Open(render.Origin{Session: map[bool]string{true: run()[0].SessionID}[mode == render.ModeVerbose], Agent: "claude-code"})
				for _, ev := range run() {
					r.Emit(&ev)
				}
				require.NoError(t, r.Close())
				require.NotEmpty(t, want.String())

				out := &flakyOutput{allow: -1}
				exp := started(t, out, func(c *Config) { c.Mode, c.Style, c.Results = mode.String(), style.String(), true })
				require.NoError(t, exp.ConsumeLogs(t.Context(), recordsOf(run())))
				require.NoError(t, exp.Shutdown(t.Context()))
				assert.Equal(t, want.String(), out.String())
			})
		}
	}
}

func TestModes(t *testing.T) {
	tool := item{session: "s", event: events.DisplayEvent{Kind: events.KindToolUse, Tool: events.Tool{Name: "Read", Target: "README.md"}}}
	batch := []item{text("s", "Hello"), tool, {session: "s", raw: "plain \x1b[1mwords \xff"}, text("s", "Bye\n")}
	for mode, want := range map[string]string{
		"default": "Hello\nplain words \uFFFD\nBye\n",
		"verbose": "--- [s] ---\nHello\n[tool: Read(README.md)]\nplain words \uFFFD\nBye\n",
		"quiet":   "plain words \uFFFD\n",
		"json":    "plain \x1b[1mwords \xff\n",
	} {
		out := &flakyOutput{allow: -1}
		exp := started(t, out, func(c *Config) { c.Mode = mode })
		require.NoError(t, exp.ConsumeLogs(t.Context(), records(batch...)))
		assert.Equal(t, want, out.String(), "mode %s", mode)
		assert.Equal(t, 1, out.writes, "a batch is one write")
	}
}

func TestEscapeCICommands(t *testing.T) {
	out := &flakyOutput{allow: -1}
	exp := started(t, out, func(c *Config) { c.EscapeCICommands = "on" })
	require.NoError(t, exp.ConsumeLogs(t.Context(), records(text("s", "::error::boo\n--- x"))))
	assert.Equal(t, ":\\:error::boo\n---\\ x\n", out.String())
	for _, variable := range []string{"CI", "TF_BUILD", "TEAMCITY_VERSION", "GITLAB_CI", "BUILDKITE"} {
		t.Setenv(variable, "")
	}
	for set, want := range map[string]string{"true": ":\\:error::boo\n--- x\n", "": "::error::boo\n--- x\n"} {
		t.Setenv("GITHUB_ACTIONS", set)
		out := &flakyOutput{allow: -1}
		require.NoError(t, started(t, out, nil).ConsumeLogs(t.Context(), records(text("s", "::error::boo\n--- x"))))
		assert.Equal(t, want, out.String(), "by itself, where GITHUB_ACTIONS is %q", set)
	}
}

func TestInterleavedSessions(t *testing.T) {
	out := &flakyOutput{allow: -1}
	exp := started(t, out, nil)
	// An escape sequence of one session is open while the other writes.
	require.NoError(t, exp.ConsumeLogs(t.Context(), records(delta("a", "one \x1b]0;ti"), delta("b", "two\n"), delta("a", "tle\aand"))))
	require.NoError(t, exp.ConsumeLogs(t.Context(), records(delta("a", " more"))))
	assert.Equal(t, "one \ntwo\nand more", out.String(), "nothing waits for the next batch")
	require.NoError(t, exp.Shutdown(t.Context()))
	assert.Equal(t, "one \ntwo\nand more\n", out.String(), "shutdown ends the text")
	assert.True(t, out.closed)
}

func TestSessionsAreDistinguishedByResource(t *testing.T) {
	out := &flakyOutput{allow: -1}
	exp := started(t, out, nil)
	a, b := delta("s", "one"), delta("s", "two")
	a.service, b.service = "codex", "claude-code"
	require.NoError(t, exp.ConsumeLogs(t.Context(), records(a, b)))
	assert.Equal(t, "one\ntwo", out.String())
}

func TestLeastRecentlyUsedSessionIsClosed(t *testing.T) {
	out := &flakyOutput{allow: -1}
	exp := started(t, out, func(c *Config) { c.MaxStreams = 2 })
	require.NoError(t, exp.ConsumeLogs(t.Context(), records(delta("a", "text of a"), delta("b", "text of b"))))
	require.NoError(t, exp.ConsumeLogs(t.Context(), records(delta("a", ", more"))))
	assert.Equal(t, "text of a\ntext of b\n, more", out.String())
	require.NoError(t, exp.ConsumeLogs(t.Context(), records(delta("c", "text of c"))))
	require.NoError(t, exp.ConsumeLogs(t.Context(), records(delta("b", "b anew"))))
	assert.Equal(t, "text of a\ntext of b\n, more\ntext of c\nb anew", out.String(), "a is closed when b comes again")
	require.NoError(t, exp.Shutdown(t.Context()))
	assert.Equal(t, "text of a\ntext of b\n, more\ntext of c\nb anew\n", out.String())
}

func TestRecordsLeftOut(t *testing.T) {
	tel := componenttest.NewTelemetry()
	t.Cleanup(func() { require.NoError(t, tel.Shutdown(context.Background())) })
	set := exportertest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = tel.NewTelemetrySettings()
	out := &flakyOutput{allow: -1}
	exp := startedWith(t, set, out, nil)

	first, second := text("s", "one"), text("s", "two")
	first.uid, second.uid = "u1", "u2"
	foreign := plog.NewLogs()
	lr := foreign.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	lr.AppendEmpty().Body().SetStr("some other log")
	lr.AppendEmpty().SetEventName("tailspan.step_started")
	require.NoError(t, exp.ConsumeLogs(t.Context(), records(first)))
	require.NoError(t, exp.ConsumeLogs(t.Context(), foreign))
	require.NoError(t, exp.ConsumeLogs(t.Context(), records(first, second, text("s", "three"), text("s", "three"))))
	assert.Equal(t, "one\ntwo\nthree\nthree\n", out.String(), "a record without uid is never taken for a repeated one")

	assert.Equal(t, map[string]int64{"": 4}, counted(t, tel, "otelcol_exporter_agent_render_rendered_records"))
	assert.Equal(t, map[string]int64{"foreign": 1, "live": 1, "repeated": 1}, counted(t, tel, "otelcol_exporter_agent_render_ignored_records"))
	assert.Equal(t, map[string]int64{"": 7}, counted(t, tel, "otelcol_exporter_sent_log_records"), "the helper's own count")
}

// counted returns the values of a counter by the attribute reason.
func counted(t *testing.T, tel *componenttest.Telemetry, name string) map[string]int64 {
	t.Helper()
	m, err := tel.GetMetric(name)
	require.NoError(t, err)
	got := map[string]int64{}
	for _, p := range m.Data.(metricdata.Sum[int64]).DataPoints {
		reason, _ := p.Attributes.Value(attribute.Key("reason"))
		got[reason.AsString()] += p.Value
	}
	return got
}

func TestRecentRecords(t *testing.T) {
	r := newRecentRecords(2)
	var got []bool
	for _, uid := range []string{"a", "a", "b", "a", "c", "b", "a", ""} {
		got = append(got, r.add("o", uid))
	}
	assert.Equal(t, []bool{true, false, true, false, true, false, true, true}, got, "a is forgotten when c comes")
	assert.Len(t, r.seen, 2)
	r.reserve(2)
	assert.Len(t, r.ring, 2)
	r.reserve(4)
	got = nil
	for _, uid := range []string{"c", "a", "d", "e", "c", "a", "f", "c"} {
		got = append(got, r.add("o", uid))
	}
	assert.Equal(t, []bool{false, false, true, true, false, false, true, true}, got, "c and a are still known, and c is forgotten first")
	off := newRecentRecords(0)
	off.reserve(4)
	assert.True(t, off.add("o", "a"))
	assert.True(t, off.add("o", "a"), "nothing is remembered")
	r = newRecentRecords(2)
	assert.True(t, r.add("o", "a"))
	assert.True(t, r.add("another", "a"), "a uid of another pipeline hides nothing")
}

// TestFailedWriteIsReturnedAndRepairedOnce cuts the write of a batch at every byte; sending the batch again must give the
// whole text once.
func TestFailedWriteIsReturnedAndRepairedOnce(t *testing.T) {
	batch := recordsOf(run())
	whole := &flakyOutput{allow: -1}
	require.NoError(t, started(t, whole, func(c *Config) { c.Mode, c.Style = "verbose", "transcript" }).ConsumeLogs(t.Context(), batch))
	for cut := range len(whole.String()) {
		out := &flakyOutput{allow: cut}
		exp := started(t, out, func(c *Config) { c.Mode, c.Style = "verbose", "transcript" })
		err := exp.ConsumeLogs(t.Context(), batch)
		require.ErrorIs(t, err, errFull)
		require.ErrorContains(t, err, `write output "stdout": disk full`)
		require.ErrorIs(t, exp.ConsumeLogs(t.Context(), records(text("x", "another"))), errFull, "no batch is taken meanwhile")
		out.permit(-1)
		require.NoError(t, exp.ConsumeLogs(t.Context(), batch))
		require.Equal(t, whole.String(), out.String(), "cut at %d", cut)
		require.NoError(t, exp.ConsumeLogs(t.Context(), records(text("x", "another"))))
		require.Equal(t, whole.String()+"--- [x] ---\nanother\n", out.String(), "cut at %d", cut)
	}
}

func TestRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &flakyOutput{allow: 5}
		exp := started(t, out, func(c *Config) { c.RetryConfig.Enabled = true })
		done := make(chan error)
		go func() { done <- exp.ConsumeLogs(t.Context(), recordsOf(run())) }()
		synctest.Wait()
		assert.Equal(t, "I loo", out.String(), "the helper waits to try again")
		out.permit(-1)
		require.NoError(t, <-done)
		assert.Equal(t, "I look.\nDone.\n", out.String())
		require.NoError(t, exp.Shutdown(t.Context()))
	})
}

func TestShutdownWritesWhatIsLeft(t *testing.T) {
	out := &flakyOutput{allow: 2}
	exp := started(t, out, nil)
	require.ErrorIs(t, exp.ConsumeLogs(t.Context(), records(text("s", "words"))), errFull)
	out.permit(-1)
	require.NoError(t, exp.Shutdown(t.Context()))
	assert.Equal(t, "words\n", out.String())

	out = &flakyOutput{allow: 0}
	exp = started(t, out, nil)
	require.ErrorIs(t, exp.ConsumeLogs(t.Context(), records(text("s", "words"))), errFull)
	require.ErrorIs(t, exp.Shutdown(t.Context()), errFull, "the lost output is reported")
	assert.True(t, out.closed)
}

// stuckOutput hangs in Write until it is released.
type stuckOutput struct{ entered, free chan struct{} }

func (o stuckOutput) Write(p []byte) (int, error) {
	o.entered <- struct{}{}
	<-o.free
	return len(p), nil
}

func (stuckOutput) Close() error { return nil }

// TestStuckOutput checks that waiting behind a write that hangs ends with the context.
func TestStuckOutput(t *testing.T) {
	out := stuckOutput{entered: make(chan struct{}), free: make(chan struct{})}
	exp := startedWith(t, exportertest.NewNopSettings(metadata.Type), out, nil)
	done := make(chan error)
	go func() { done <- exp.ConsumeLogs(t.Context(), records(text("s", "words"))) }()
	<-out.entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, exp.ConsumeLogs(ctx, records(text("s", "more"))), context.Canceled)
	assert.ErrorIs(t, exp.Shutdown(ctx), context.Canceled)
	close(out.free)
	require.NoError(t, <-done)
}

func TestFileOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder", "agents.log")
	for _, words := range []string{"first run", "second run"} {
		cfg := NewFactory().CreateDefaultConfig().(*Config)
		cfg.Output = path
		exp, err := NewFactory().CreateLogs(t.Context(), exportertest.NewNopSettings(metadata.Type), cfg)
		require.NoError(t, err)
		require.NoError(t, exp.Start(t.Context(), componenttest.NewNopHost()))
		require.NoError(t, exp.ConsumeLogs(t.Context(), records(text("s", words))))
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.True(t, strings.HasSuffix(string(got), words+"\n"), "it is there before shutdown: %q", got)
		require.NoError(t, exp.Shutdown(t.Context()))
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "first run\nsecond run\n", string(got), "a file is appended to")
}

func TestStandardOutputsStayOpen(t *testing.T) {
	for name, file := range map[string]*os.File{outputStdout: os.Stdout, outputStderr: os.Stderr} {
		out, err := opener(&Config{}, pathPattern{}, zap.NewNop())(name)
		require.NoError(t, err)
		assert.Equal(t, file, out.(*standardOutput).file)
		require.NoError(t, out.Close())
		_, err = file.Stat()
		assert.NoError(t, err, "%s was closed", name)
	}
}

func TestConcurrentBatches(t *testing.T) {
	out := &flakyOutput{allow: -1}
	exp := started(t, out, nil)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			session := fmt.Sprint("s", i)
			assert.NoError(t, exp.ConsumeLogs(t.Context(), records(text(session, session+" one"), text(session, session+" two"))))
		})
	}
	group.Wait()
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	require.Len(t, lines, 16)
	for i := 0; i < len(lines); i += 2 {
		session, _, _ := strings.Cut(lines[i], " ")
		assert.Equal(t, []string{session + " one", session + " two"}, lines[i:i+2], "a batch stays together")
	}
}
