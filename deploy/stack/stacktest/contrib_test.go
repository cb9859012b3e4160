package stacktest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/tailspan/tailspan/tools/program"
	"github.com/tailspan/tailspan/tools/replay"
)

// buildContrib builds the collector of contrib-builder.yaml outside the repository, or returns an existing build.
func buildContrib(t *testing.T) string {
	t.Helper()
	if built := os.Getenv("TAILSPAN_CONTRIB"); built != "" {
		return built
	}
	builder := os.Getenv("TAILSPAN_BUILDER")
	if builder == "" {
		t.Skip("the collector's builder is needed: make stack-test")
	}
	folder := t.TempDir()
	manifest, err := os.ReadFile("../contrib-builder.yaml")
	require.NoError(t, err)
	repository, err := filepath.Abs(root)
	require.NoError(t, err)
	text := strings.NewReplacer("OUTPUT", folder, "TAILSPAN", repository).Replace(string(manifest))
	path := filepath.Join(folder, "builder.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	build := exec.CommandContext(t.Context(), builder, "--config", path, "--skip-strict-versioning=false")
	build.Dir, build.Env = folder, append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return filepath.Join(folder, "otelcol-contrib-style")
}

// backend keeps the spans that it receives, with their resources.
type backend struct {
	mu        sync.Mutex
	spans     []ptrace.Span
	resources []map[string]any
}

func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/traces" {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if r.Header.Get("Content-Encoding") == "zstd" {
		decoder, err := zstd.NewReader(nil)
		if err == nil {
			body, err = decoder.DecodeAll(body, nil)
			decoder.Close()
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	request := ptraceotlp.NewExportRequest()
	if err := request.UnmarshalProto(body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, rs := range request.Traces().ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				b.spans, b.resources = append(b.spans, s), append(b.resources, rs.Resource().Attributes().AsRaw())
			}
		}
	}
}

// names counts the spans of a pipeline's run by name.
func (b *backend) names(pipeline string) map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	traces := map[string]bool{}
	for _, s := range b.spans {
		if s.Name() == pipeline {
			traces[s.TraceID().String()] = true
		}
	}
	names := map[string]int{}
	for _, s := range b.spans {
		if traces[s.TraceID().String()] {
			names[s.Name()]++
		}
	}
	return names
}

// TestStackOfContrib runs the configurations for a collector with contrib processors.
func TestStackOfContrib(t *testing.T) {
	collector := buildContrib(t)
	t.Run("sampling", func(t *testing.T) { checkSampling(t, collector) })
	t.Run("kubernetes", func(t *testing.T) { checkKubernetes(t, collector) })
}

// checkSampling runs deploy/stack/config/sampling.yaml: failed runs are kept whole even if they outlast the decision wait of a
// usual configuration, others are dropped, and the metrics cover all.
func checkSampling(t *testing.T, collector string) {
	kept := &backend{}
	sink := httptest.NewServer(kept)
	t.Cleanup(sink.Close)
	sessions, port := t.TempDir(), must(t)
	log := filepath.Join(t.TempDir(), "collector.log")
	process, err := program.Start("collector", exec.Command(collector, "--config", "../config/sampling.yaml"), []string{
		"SESSIONS=" + sessions, "BACKEND=" + sink.URL, "PROMETHEUS=127.0.0.1:" + port,
		"KEPT_SHARE=0", "AFTER_ROOT=1s", "PIPELINE_IDLE=2s", "METRICS_INTERVAL=1s",
	}, log)
	require.NoError(t, err)
	running := true
	t.Cleanup(func() {
		if running {
			require.NoError(t, process.Kill())
		}
	})

	begin := time.Now()
	var playing sync.WaitGroup
	for pipeline, recording := range map[string]string{"good": "parity.jsonl", "failing": "max-turns.jsonl", "broken": "fatal-401.jsonl", "agents": "subagent.jsonl"} {
		text, err := os.ReadFile(filepath.Join(root, "testdata", "claude", recording))
		require.NoError(t, err)
		path := filepath.Join(sessions, pipeline, "1", "step.jsonl")
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		file, err := os.Create(path)
		require.NoError(t, err)
		playing.Go(func() {
			// The run takes some seconds: its first spans arrive long before its last.
			assert.NoError(t, replay.Play(t.Context(), file, string(text), pipeline, replay.Pace{Pause: 500 * time.Millisecond, Longest: 3 * time.Second}))
			assert.NoError(t, file.Close())
		})
	}
	playing.Wait()
	t.Logf("played for %.0f s", time.Since(begin).Seconds())

	waitUntil(t, 2*time.Minute, "both failed runs are kept", func(context.Context) error {
		for _, pipeline := range []string{"failing", "broken"} {
			if len(kept.names(pipeline)) == 0 {
				return fmt.Errorf("nothing of %s", pipeline)
			}
		}
		return nil
	})
	// The metrics of receiver and connector cover all runs, including dropped ones.
	series := ""
	waitUntil(t, 2*time.Minute, "the metrics have all runs", func(ctx context.Context) error {
		body, err := program.Get(ctx, "http://127.0.0.1:"+port+"/metrics")
		if err != nil {
			return err
		}
		defer body.Close()
		text, err := io.ReadAll(body)
		if err != nil {
			return err
		}
		series = string(text)
		for _, pipeline := range []string{"good", "failing", "broken", "agents"} {
			runs, spans := false, false
			for line := range strings.Lines(series) {
				of := strings.Contains(line, `cicd_pipeline_name="`+pipeline+`"`)
				runs = runs || of && strings.HasPrefix(line, "tailspan_runs_total{") && strings.HasSuffix(line, " 1\n")
				spans = spans || of && strings.HasPrefix(line, "traces_span_metrics_calls_total{")
			}
			if !runs || !spans {
				return fmt.Errorf("%s: runs %v, spans %v", pipeline, runs, spans)
			}
		}
		return nil
	})
	running = false
	require.NoError(t, process.Stop(program.StopGrace)) // makes the pending sampling decisions

	failing := kept.names("failing")
	assert.Equal(t, 1, failing["invoke_agent claude-code"], "%v", failing)
	assert.Equal(t, 1, failing["step"], "%v", failing)
	assert.GreaterOrEqual(t, failing["execute_tool Bash"]+failing["execute_tool Read"], 2, "%v", failing)
	assert.Equal(t, 1, kept.names("broken")["invoke_agent claude-code"])
	assert.Empty(t, kept.names("good"))
	assert.Empty(t, kept.names("agents"), "a failed call of a tool is no failed run")
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.Contains(t, string(text), "[tool: Bash(", "the readable log")
}

func must(t *testing.T) string {
	t.Helper()
	port, err := program.FreePort(0)
	require.NoError(t, err)
	return port
}
