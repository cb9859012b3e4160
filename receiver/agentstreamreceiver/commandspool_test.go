//go:build unix

package agentstreamreceiver_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/internal/storagetest"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// fickle accepts everything until it is set to refuse.
type fickle struct {
	consumertest.Consumer
	refuses atomic.Bool
	traces  consumertest.TracesSink
	logs    consumertest.LogsSink
}

func (f *fickle) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	if f.refuses.Load() {
		return errors.New("refused")
	}
	return f.traces.ConsumeTraces(ctx, td)
}

func (f *fickle) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	if f.refuses.Load() {
		return errors.New("refused")
	}
	return f.logs.ConsumeLogs(ctx, ld)
}

// TestCommandSpoolIsReadOn stops the receiver when a part of a command's output, or none of it, was acknowledged. The next one
// reads the rest, exports how that command ended, and mistakes none of it for output of the command that it starts itself.
func TestCommandSpoolIsReadOn(t *testing.T) {
	openGate(t)
	const agent = `said() { printf '{"type":"assistant","sessionId":"%s","uuid":"%s-u%s","timestamp":"2026-11-01T10:00:00.00%sZ","message":{"id":"msg_%s_%s","role":"assistant","model":"m","content":[{"type":"text","text":"%s %s."}]}}\n' \
		"$SESSION" "$SESSION" "$1" "$1" "$SESSION" "$1" "$SESSION" "$1"; }
		said 1; said 2; until [ -e "$GO" ]; do sleep 0.01; done; said 3; said 4
		trap '' TERM; : > "$GO.$SESSION"; exit 3` // a stop may happen in between
	for name, accepted := range map[string]bool{"a part was accepted": true, "nothing was accepted": false} {
		t.Run(name, func(t *testing.T) {
			goOn := filepath.Join(t.TempDir(), "go")
			setup := func(session string) *agentstreamreceiver.Config {
				cfg := configOf(t, config.Command{Command: []string{"sh", "-c", agent}, Provider: "claude", Env: map[string]string{"SESSION": session, "GO": goOn}})
				cfg.Storage = &storagetest.ID
				return cfg
			}
			m := newMachine()
			dir := filepath.Join(t.TempDir(), "spools")
			cfg := setup("one")
			cfg.Spool.Directory = dir
			next := &fickle{Consumer: consumertest.NewNop()}
			next.refuses.Store(!accepted)
			first := startWith(t, m, cfg, next, next)
			if accepted {
				require.Eventually(t, func() bool { return len((&rig{t: t, logs: &next.logs}).texts()) == 2 }, wait, tick)
				info, err := os.Stat(spools(t, cfg)[0])
				require.NoError(t, err)
				first.acceptedSpool(t, m, info.Size())
				next.refuses.Store(true)
			}
			require.NoError(t, os.WriteFile(goOn, nil, 0o600))
			require.Eventually(t, func() bool { _, err := os.Stat(goOn + ".one"); return err == nil }, wait, tick)
			first.stop()
			require.Len(t, spools(t, cfg), 1, "what was not accepted is left")

			cfg = setup("two")
			cfg.Spool.Directory = dir
			second := startOn(t, m, cfg, nil)
			require.Eventually(t, func() bool { return len(second.exits()) == 2 && len(spools(t, cfg)) == 0 }, wait, tick)
			second.stop()
			before := &rig{t: t, traces: &next.traces, logs: &next.logs}
			assert.Equal(t, []string{"one 1.", "one 2.", "one 3.", "one 4.", "two 1.", "two 2.", "two 3.", "two 4."},
				slices.Sorted(slices.Values(append(before.texts(), second.texts()...))))
			roots := map[string]int64{}
			for _, span := range second.spans() {
				if span.Name() != "invoke_agent claude-code" {
					continue
				}
				session, _ := span.Attributes().Get(otlp.AttrGenAIConversationID)
				code, _ := span.Attributes().Get(otlp.AttrProcessExitCode)
				roots[session.Str()] += code.Int()
			}
			assert.Equal(t, map[string]int64{"one": 3, "two": 3}, roots, "each run has one span, with the exit code of its command")
			for key := range m.Values() {
				assert.NotContains(t, key, "spool/", "positions of spools that are gone")
			}
		})
	}
}
