package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/tools/program"
)

// newSettings returns those of a demo over one sample of two lines, run by this test binary in place of the programs.
func newSettings(t *testing.T, collector string) (Settings, *syncBuffer) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	folder := t.TempDir()
	sample, list := filepath.Join(folder, "a.jsonl"), filepath.Join(folder, "samples.txt")
	require.NoError(t, os.WriteFile(sample, []byte("{}\n\n{}\n"), 0o600))
	require.NoError(t, os.WriteFile(list, []byte("# one\n\n"+sample+"\n"), 0o600))
	out := &syncBuffer{}
	s := Settings{
		Collector: self, Config: "demo.yaml", Samples: list, Out: filepath.Join(folder, "out"),
		Timeout: time.Minute, JaegerConfig: "jaeger.yaml", JaegerExport: "export.yaml", Stdout: out,
	}
	t.Setenv(fakeCollector, collector)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // otherwise each fake program takes a second to end
	t.Setenv(fakeSpans, filepath.Join(s.Out, "spans.jsonl"))
	return s, out
}

func TestRun(t *testing.T) {
	s, out := newSettings(t, "good")
	require.NoError(t, os.MkdirAll(s.Out, 0o755))
	stale := filepath.Join(s.Out, "jaeger.log")
	require.NoError(t, os.WriteFile(stale, []byte("of an earlier demo"), 0o600))

	require.NoError(t, run(t.Context(), s))
	for _, want := range []string{
		"1 sample sessions", "2 lines", "[tool: Read(README.md)]", "claude-code  -        1 ",
		"2 spans in 1 traces", "1 log records", filepath.Join(s.Out, "spans.jsonl"), filepath.Join(s.Out, "records.jsonl"),
	} {
		assert.Contains(t, out.String(), want)
	}
	assert.NotContains(t, out.String(), "Jaeger")
	assert.NoFileExists(t, stale)
}

func TestRunFails(t *testing.T) {
	tests := []struct {
		name      string
		collector string
		change    func(*Settings)
		want      []string
	}{
		{name: "no list", change: func(s *Settings) { s.Samples = "nowhere.txt" }, want: []string{"read list of samples", "nowhere.txt"}},
		{name: "empty list", change: func(s *Settings) { s.Samples = os.DevNull }, want: []string{"no file in it"}},
		{name: "a sample is missing", change: func(s *Settings) { s.Samples = "testdata/gone.txt" }, want: []string{"open sample", "nowhere/gone.jsonl"}},
		{name: "no collector", change: func(s *Settings) { s.Collector = "./nowhere" }, want: []string{"start collector", "./nowhere"}},
		{name: "the folder is a file", change: func(s *Settings) { s.Out = "doc.go" }, want: []string{"make folder"}},
		{name: "collector ends early", collector: "crash", want: []string{"collector ended: exit status 3", "boom: no such receiver"}},
		{name: "collector reads nothing", collector: "stuck", change: func(s *Settings) { s.Timeout = 300 * time.Millisecond }, want: []string{"the collector to read 2 lines", "not within 300ms"}},
		{name: "no spans", collector: "empty", want: []string{"no agent run in"}},
		{name: "no records", collector: "mute", want: []string{"no log record in"}},
		{name: "a span without its parent", collector: "orphan", want: []string{"missing_parent"}},
		{name: "no Jaeger", collector: "good", change: func(s *Settings) { s.Jaeger = "./nowhere" }, want: []string{"start Jaeger"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := newSettings(t, tt.collector)
			if tt.change != nil {
				tt.change(&s)
			}
			err := run(t.Context(), s)
			for _, want := range tt.want {
				assert.ErrorContains(t, err, want)
			}
		})
	}
}

func TestRunWithJaeger(t *testing.T) {
	s, out := newSettings(t, "good")
	s.Jaeger = s.Collector
	require.NoError(t, run(t.Context(), s))
	assert.Contains(t, out.String(), "Jaeger has all 1 traces")
	assert.Contains(t, out.String(), "/api/traces?service=claude-code")
	assert.NotContains(t, out.String(), "Ctrl-C")
}

func TestRunWithJaegerThatLosesSpans(t *testing.T) {
	s, _ := newSettings(t, "good")
	s.Jaeger = s.Collector
	t.Setenv(fakeJaeger, "forgetful")
	err := run(t.Context(), s)
	assert.ErrorContains(t, err, "wait for Jaeger to show trace 00000000000000000000000000000001 with 2 spans: Jaeger ended")
}

func TestRunKeepsJaegerUntilInterrupted(t *testing.T) {
	s, out := newSettings(t, "good")
	s.Jaeger, s.JaegerWait = s.Collector, true
	ctx, interrupt := context.WithCancel(t.Context())
	out.onWrite = func(all string) {
		if strings.Contains(all, "until you press Ctrl-C") {
			interrupt()
		}
	}
	assert.NoError(t, run(ctx, s))
	assert.Error(t, ctx.Err(), "it ended before it was stopped")
}

func TestStopKillsWhatDoesNotEnd(t *testing.T) {
	s, _ := newSettings(t, "deaf")
	log := filepath.Join(t.TempDir(), "log")
	port, err := program.FreePort(0)
	require.NoError(t, err)
	p, err := program.Start("deaf one", exec.Command(s.Collector), []string{"DEMO_METRICS_PORT=" + port, "DEMO_SAMPLES=[]"}, log)
	require.NoError(t, err)
	require.NoError(t, p.Await(t.Context(), "its port", time.Minute, func(ctx context.Context) (bool, error) {
		_, err := scrapeLines(ctx, "http://127.0.0.1:"+port)
		return err == nil, err
	}))
	assert.ErrorContains(t, p.Stop(100*time.Millisecond), "stop deaf one: still there 100ms after the interrupt")
	<-p.Done()
}

// syncBuffer is written by a child process and by the demo, and read by the test.
type syncBuffer struct {
	mu      sync.Mutex
	all     strings.Builder
	onWrite func(all string)
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, err := b.all.Write(p)
	if b.onWrite != nil {
		b.onWrite(b.all.String())
	}
	return n, err
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}
