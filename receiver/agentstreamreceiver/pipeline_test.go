package agentstreamreceiver_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/config"
)

// pickyTraces refuses the spans of pipelines and steps, and accepts all others.
type pickyTraces struct {
	*consumertest.TracesSink
	refused chan struct{}
}

func (p *pickyTraces) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	r := rig{traces: &consumertest.TracesSink{}}
	_ = r.traces.ConsumeTraces(ctx, td)
	if slices.Contains(r.spanNames(), "nightly") {
		select {
		case p.refused <- struct{}{}:
		default:
		}
		return errors.New("not now")
	}
	return p.TracesSink.ConsumeTraces(ctx, td)
}

// TestKilledWhilePipelineIsRefused kills the receiver while a consumer refuses a pipeline's span, after the files below it
// have stored their offsets: the next process exports the span, with its step, once.
func TestKilledWhilePipelineIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	lines := session(t, "claude", "parity.jsonl")
	appendLines(t, path, lines...)
	m := newMachine()
	cfg := stored(path)
	cfg.Identity.Pipeline.Pipeline = config.Pipeline{Name: "nightly", RunID: "7", Task: "fix"}
	cfg.Telemetry.PipelineIdle = 50 * time.Millisecond
	picky := &pickyTraces{TracesSink: &consumertest.TracesSink{}, refused: make(chan struct{}, 1)}
	first := startWith(t, m, cfg, picky, nil)
	first.read(m, path)
	<-picky.refused
	// The file grows by lines without a run, so that its state is written again.
	appendLines(t, path, []byte(`{"type":"keep_alive"}`+"\n"))
	first.read(m, path)
	killed := m.Values()
	first.stopAnyhow()

	m.Restore(killed)
	second := startOn(t, m, cfg, nil)
	require.Eventually(t, func() bool { return spansOf(second, "nightly") == 1 && spansOf(second, "fix") == 1 }, wait, tick)
	require.Eventually(t, func() bool { return len(second.spans()) == 2 }, wait, tick)
	second.stop()
	assert.ElementsMatch(t, []string{"nightly", "fix"}, second.spanNames(), "nothing else comes twice")
	third := startOn(t, m, cfg, nil)
	third.read(m, path)
	third.stop()
	assert.Empty(t, third.spanNames())
}
