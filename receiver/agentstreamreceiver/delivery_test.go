package agentstreamreceiver

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/receiver/receivertest"
)

func TestPermanent(t *testing.T) {
	never, later := consumererror.NewPermanent(errors.New("never")), errors.New("later")
	for _, tc := range []struct {
		name string
		err  error
		want bool
	}{
		{"never", never, true},
		{"wrapped", fmt.Errorf("send: %w", never), true},
		{"later", later, false},
		{"all never", errors.Join(never, never), true},
		{"one may take it yet", errors.Join(never, later), false},
		{"the same, nested", errors.Join(never, errors.Join(never, later)), false},
		{"joined by who refuses for good", consumererror.NewPermanent(errors.Join(later, later)), true},
	} {
		assert.Equal(t, tc.want, isPermanent(tc.err), tc.name)
	}
}

// twoPipelines is what the collector makes of two pipelines: both are handed everything, and their errors are joined. The
// first refuses for good, the second a few times.
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

// TestOnePipelineRefusesForGood holds that what one pipeline never takes is not lost to the other, which takes it later.
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

// TestLagAfterARefusalForGood: what was found while a consumer refused is forgotten when it takes the lines or never will.
func TestLagAfterARefusalForGood(t *testing.T) {
	for name, last := range map[string]error{"taken": nil, "never": consumererror.NewPermanent(errors.New("never"))} {
		t.Run(name, func(t *testing.T) {
			r, err := newAgentStream(receivertest.NewNopSettings(NewFactory().Type()), configFor("unused"))
			require.NoError(t, err)
			r.out.behind = func() { r.meter.lag.find(map[string]lagging{"a": {provider: "claude", found: 7}}) }
			answers := []error{errors.New("later"), last}
			require.NoError(t, r.out.retryUntilAcknowledged(t.Context(), offer{signal: signalLogs, elements: 1}, func(context.Context) error {
				err := answers[0]
				answers = answers[1:]
				return err
			}))
			assert.Empty(t, answers)
			assert.Zero(t, r.meter.lag.totals["claude"])
		})
	}
}

// TestStopWithoutRetries: without retries a batch is dropped when the consumer refuses it, but not when the stop cut its delivery
// off: its lines are read again.
func TestStopWithoutRetries(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"disabled": func(c *Config) { c.Retry.Enabled = false },
		"expired":  func(c *Config) { c.Retry.MaxElapsedTime = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := configFor("unused")
			change(cfg)
			r, err := newAgentStream(receivertest.NewNopSettings(NewFactory().Type()), cfg)
			require.NoError(t, err)
			refuse := func(context.Context) error { return errors.New("later") }
			require.NoError(t, r.out.retryUntilAcknowledged(t.Context(), offer{signal: signalLogs, elements: 1}, refuse))

			ctx, cancel := context.WithCancel(t.Context())
			err = r.out.retryUntilAcknowledged(ctx, offer{signal: signalLogs, elements: 1}, func(ctx context.Context) error {
				cancel()
				return ctx.Err()
			})
			assert.ErrorIs(t, err, context.Canceled)
		})
	}
}

// logsOf makes a consumer of a function.
type logsOf struct {
	of interface {
		ConsumeLogs(context.Context, plog.Logs) error
	}
}

func (l *logsOf) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	return l.of.ConsumeLogs(ctx, ld)
}

func (l *logsOf) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }
