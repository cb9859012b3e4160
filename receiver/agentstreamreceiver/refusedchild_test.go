package agentstreamreceiver_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

var errNotReady = errors.New("downstream is not ready")

// refusingSub refuses all records or the span of a sub-agent.
type refusingSub struct {
	records, span atomic.Bool // what it refuses now
	refused       atomic.Int64
	traces        consumertest.TracesSink
	logs          consumertest.LogsSink
}

func (c *refusingSub) consumeLogs(ctx context.Context, ld plog.Logs) error {
	if c.records.Load() {
		c.refused.Add(1)
		return errNotReady
	}
	return c.logs.ConsumeLogs(ctx, ld)
}

func (c *refusingSub) consumeTraces(ctx context.Context, td ptrace.Traces) error {
	var one rig
	one.traces = &consumertest.TracesSink{}
	if err := one.traces.ConsumeTraces(ctx, td); err != nil {
		return err
	}
	if c.span.Load() && spansOf(&one, "invoke_agent general-purpose") > 0 {
		c.refused.Add(1)
		return errNotReady
	}
	return c.traces.ConsumeTraces(ctx, td)
}

// TestRefusedSubAgentKeepsItsParent stops or kills the collector while a consumer refuses a sub-agent, whose parent is complete. The next
// process exports the sub-agent in the trace of its parent, whose state no longer links it once the sub-agent has ended.
func TestRefusedSubAgentKeepsItsParent(t *testing.T) {
	for name, refuse := range map[string]func(*refusingSub) *atomic.Bool{
		"records": func(c *refusingSub) *atomic.Bool { return &c.records },
		"span":    func(c *refusingSub) *atomic.Bool { return &c.span },
	} {
		for _, killed := range []bool{false, true} {
			t.Run(name+map[bool]string{false: "/stopped", true: "/killed"}[killed], func(t *testing.T) {
				t.Parallel()
				testRefusedSubAgent(t, refuse, killed)
			})
		}
	}
}

func testRefusedSubAgent(t *testing.T, refuse func(*refusingSub) *atomic.Bool, killed bool) {
	dir := t.TempDir()
	put := func(name string) {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "claude", "families", "subagent", name))
		require.NoError(t, err)
		tmp, old := filepath.Join(t.TempDir(), name), time.Now().Add(-30*time.Second)
		require.NoError(t, os.WriteFile(tmp, data, 0o600))
		require.NoError(t, os.Chtimes(tmp, old, old))
		require.NoError(t, os.Rename(tmp, filepath.Join(dir, name)))
	}
	cfg := stored(filepath.Join(dir, "*.jsonl"))
	cfg.Telemetry.EndGrace, cfg.Telemetry.ParentWait = time.Second, time.Second
	c := &refusingSub{}
	traces, err := consumer.NewTraces(c.consumeTraces)
	require.NoError(t, err)
	logs, err := consumer.NewLogs(c.consumeLogs)
	require.NoError(t, err)
	m := newMachine()
	first := startWith(t, m, cfg, traces, logs)
	first.traces = &c.traces
	put("main.session.jsonl")
	put("agent-ad12a344d93e7fc15.session.jsonl")
	require.Eventually(t, func() bool { return spansOf(first, "invoke_agent claude-code") == 1 && m.complete(2) }, wait, tick)
	parent := first.spans()[0].TraceID()
	refuse(c).Store(true)
	put("agent-aba500ca402cb87b8.session.jsonl")
	require.Eventually(t, func() bool { return c.refused.Load() > 50 }, wait, tick) // longer than a checkpoint takes
	next := m
	if killed {
		next = newMachine()
		next.Restore(m.Values())
		defer first.stopAnyhow()
	} else {
		first.stopAnyhow()
	}

	cfg = stored(filepath.Join(dir, "*.jsonl"))
	cfg.Telemetry.EndGrace, cfg.Telemetry.ParentWait = time.Second, time.Second
	cfg.Stream.IdleClose = 5 * time.Second // so that a sub-agent without a parent is exported, too
	second := startOn(t, next, cfg, nil)
	require.Eventually(t, func() bool {
		return spansOf(second, "invoke_agent general-purpose")+spansOf(second, "invoke_agent claude-code") > 0 && next.complete(3)
	}, wait, tick)
	second.stop()
	assert.Zero(t, spansOf(second, "invoke_agent claude-code"), "it is no run of its own")
	for _, s := range second.spans() {
		assert.Equal(t, parent, s.TraceID(), s.Name())
	}
}
