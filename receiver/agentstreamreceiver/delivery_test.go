package agentstreamreceiver_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
)

// twoPipelines is what the collector makes of two pipelines: both receive everything, and their errors are joined. The first
// rejects permanently, the second refuses a few times.
type twoPipelines struct {
	refuse int
	second consumertest.LogsSink
}

func (c *twoPipelines) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	never := consumererror.NewPermanent(errors.New("never"))
	if c.refuse--; c.refuse >= 0 {
		return errors.Join(never, errors.New("later"))
	}
	return errors.Join(never, c.second.ConsumeLogs(ctx, ld))
}

// TestOnePipelineRefusesForGood checks that what one pipeline rejects still reaches the other, which accepts it later.
func TestOnePipelineRefusesForGood(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.log")
	appendTo(t, path, "one\ntwo\n")
	cfg := configFor(path)
	cfg.Stream.Provider = "none"
	c := &twoPipelines{refuse: 3}
	r := startOn(t, nil, cfg, &logsOf{c})
	require.Eventually(t, func() bool { return c.second.LogRecordCount() == 2 }, wait, tick)
	require.Eventually(t, func() bool { return r.metric("otelcol_receiver_agent_stream_dropped", "reason", "refused") == 2 }, wait, tick)
	r.stop()
}

// logsOf returns a consumer that calls a function.
type logsOf struct {
	of interface {
		ConsumeLogs(context.Context, plog.Logs) error
	}
}

func (l *logsOf) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	return l.of.ConsumeLogs(ctx, ld)
}

func (l *logsOf) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }
