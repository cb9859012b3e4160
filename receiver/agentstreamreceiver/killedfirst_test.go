//go:build unix

package agentstreamreceiver_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// killer is a consumer that calls kill with the first spans that it receives, before it answers.
type killer struct {
	*consumertest.TracesSink
	once sync.Once
	kill func(ptrace.Traces)
}

func (k *killer) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	k.once.Do(func() {
		sent := ptrace.NewTraces()
		td.CopyTo(sent)
		k.kill(sent)
	})
	return k.TracesSink.ConsumeTraces(ctx, td)
}

// TestKilledAsTheFirstAccountIsSent kills the receiver at the moment when the consumer receives the first spans of a run that has two
// accounts. The next process reads the other account first. The account that was sent remains the first one: the run is one tree.
func TestKilledAsTheFirstAccountIsSent(t *testing.T) {
	for _, tt := range []struct{ name, stream, transcript string }{
		{"codex", "codex/parity.jsonl", "codex/parity.session.jsonl"},
		{"gemini", "gemini/parallel.jsonl", "gemini/parallel.session.jsonl"},
		{"qwen", "qwen/parity.stream.jsonl", "qwen/parity.session.jsonl"},
	} {
		for _, order := range []string{"stream first", "transcript first"} {
			t.Run(tt.name+", "+order, func(t *testing.T) {
				t.Parallel()
				first, other := session(t, filepath.FromSlash(tt.stream)), session(t, filepath.FromSlash(tt.transcript))
				if order == "transcript first" {
					first, other = other, first
				}
				dir := t.TempDir()
				path, otherPath := filepath.Join(dir, "b.jsonl"), filepath.Join(dir, "a.jsonl")
				config := func() *agentstreamreceiver.Config {
					cfg := stored(filepath.Join(dir, "*.jsonl"))
					cfg.Stream.MaxConcurrentFiles = 1
					cfg.Telemetry.EndGrace = time.Second
					return cfg
				}
				m := newMachine()
				var killed map[string][]byte
				var sent ptrace.Traces
				done := make(chan struct{})
				before := startWith(t, m, config(), &killer{TracesSink: &consumertest.TracesSink{}, kill: func(td ptrace.Traces) {
					killed, sent = m.Values(), td
					close(done)
				}}, nil)
				appendLines(t, path, first[:1]...)
				appendLines(t, otherPath, other[:1]...)
				before.read(m, path, otherPath)
				appendLines(t, path, first[1:2*len(first)/3]...)
				<-done
				before.stop()

				require.NoError(t, os.WriteFile(path, joined(first), 0o600))
				require.NoError(t, os.WriteFile(otherPath, joined(other), 0o600))
				again := newMachine()
				again.Restore(killed)
				after := startOn(t, again, config(), nil)
				after.read(again, path, otherPath)
				require.Eventually(t, func() bool { return slices.ContainsFunc(after.spans(), isRun) }, wait, tick)
				after.stop()
				assert.Empty(t, otlpjson.Check(after.traces.AllTraces()...))
				spans, runs := map[string]bool{}, 0
				for _, span := range after.spans() {
					spans[idOf(span)] = true
					if isRun(span) {
						runs++
					}
				}
				assert.Equal(t, 1, runs)
				for _, span := range spansIn(sent) {
					assert.True(t, spans[idOf(span)], "%s was sent in another tree", span.Name())
				}
			})
		}
	}
}

func idOf(span ptrace.Span) string { return span.TraceID().String() + span.SpanID().String() }
