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
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
)

// refusingLogs refuses all records while on.
type refusingLogs struct {
	consumertest.LogsSink
	on      atomic.Bool
	refused atomic.Int64
}

func (c *refusingLogs) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	if c.on.Load() {
		c.refused.Add(1)
		return errors.New("downstream is not ready")
	}
	return c.LogsSink.ConsumeLogs(ctx, ld)
}

// TestRefusedSubAgentKeepsItsParent stops the collector while a consumer refuses the file of a sub-agent, whose parent is complete. The
// next process exports the sub-agent in the trace of its parent, which must not forget it before its lines are acknowledged.
func TestRefusedSubAgentKeepsItsParent(t *testing.T) {
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
	m, logs := newMachine(), &refusingLogs{}
	first := startOn(t, m, cfg, logs)
	put("main.session.jsonl")
	put("agent-ad12a344d93e7fc15.session.jsonl")
	require.Eventually(t, func() bool { return spansOf(first, "invoke_agent claude-code") == 1 && m.complete(2) }, wait, tick)
	logs.on.Store(true)
	put("agent-aba500ca402cb87b8.session.jsonl")
	require.Eventually(t, func() bool { return logs.refused.Load() > 3 }, wait, tick)
	first.stopAnyhow()

	cfg.Stream.IdleClose = 5 * time.Second // so that a sub-agent without a parent is exported, too
	second := startOn(t, m, cfg, nil)
	require.Eventually(t, func() bool { return len(second.records()) > 0 && m.complete(3) }, wait, tick)
	second.stop()
	assert.Zero(t, spansOf(second, "invoke_agent claude-code"), "it is no run of its own")
	trace := first.spans()[0].TraceID()
	for _, s := range second.spans() {
		assert.Equal(t, trace, s.TraceID(), s.Name())
	}
}
