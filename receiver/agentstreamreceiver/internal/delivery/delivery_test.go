package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configretry"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/delivery"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/metadata"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/meter"
	"github.com/tailspan/tailspan/telemetry"
)

// rig is a Delivery with a consumer of logs, and the metrics that it updates.
type rig struct {
	*delivery.Delivery
	meter *meter.Meter
	tel   *componenttest.Telemetry
	calls int
}

// newRig returns a Delivery whose consumer returns the answers in turn, and the last of them from then on.
func newRig(t *testing.T, retry func(*configretry.BackOffConfig), grown func(*meter.Meter), answers ...error) *rig {
	t.Helper()
	r := &rig{tel: componenttest.NewTelemetry()}
	t.Cleanup(func() { assert.NoError(t, r.tel.Shutdown(context.Background())) })
	set := receivertest.NewNopSettings(component.MustNewType("agent_stream"))
	set.TelemetrySettings = r.tel.NewTelemetrySettings()
	builder, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	require.NoError(t, err)
	r.meter, err = meter.New(builder)
	require.NoError(t, err)
	backoff := configretry.NewDefaultBackOffConfig()
	backoff.InitialInterval, backoff.MaxInterval, backoff.MaxElapsedTime = time.Millisecond, time.Millisecond, 0
	if retry != nil {
		retry(&backoff)
	}
	r.Delivery, err = delivery.New(delivery.Settings{
		Receiver: set, Delivery: config.NewDefaultDelivery(), Retry: backoff, Meter: r.meter, Health: &delivery.Health{},
		Grown: func() {
			if grown != nil {
				grown(r.meter)
			}
		},
	})
	require.NoError(t, err)
	r.Logs, err = consumer.NewLogs(func(context.Context, plog.Logs) error {
		answer := answers[min(r.calls, len(answers)-1)]
		r.calls++
		return answer
	})
	require.NoError(t, err)
	return r
}

// sum returns the sum of the points of a metric.
func (r *rig) sum(name string) (sum int64) {
	got, err := r.tel.GetMetric("otelcol_receiver_agent_stream_" + name)
	if err != nil {
		return 0
	}
	switch data := got.Data.(type) {
	case metricdata.Sum[int64]:
		for _, p := range data.DataPoints {
			sum += p.Value
		}
	case metricdata.Gauge[int64]:
		for _, p := range data.DataPoints {
			sum += p.Value
		}
	}
	return sum
}

// output is one log record.
func output() *telemetry.Output {
	ld := plog.NewLogs()
	ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	return &telemetry.Output{Data: otlp.Data{Traces: ptrace.NewTraces(), Logs: ld}}
}

// TestPermanent: a batch is dropped if no retry can help. If a signal has several pipelines, the collector joins their errors.
func TestPermanent(t *testing.T) {
	never, later := consumererror.NewPermanent(errors.New("never")), errors.New("later")
	for _, tt := range []struct {
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
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, nil, nil, tt.err, nil)
			require.NoError(t, r.Deliver(t.Context(), t.Context(), output()))
			calls, dropped := 2, int64(0)
			if tt.want {
				calls, dropped = 1, 1
			}
			assert.Equal(t, calls, r.calls)
			assert.Equal(t, dropped, r.sum("dropped"))
		})
	}
}

// TestLagAfterARefusal: what was found while a consumer refused is released when it accepts the lines, or rejects them.
func TestLagAfterARefusal(t *testing.T) {
	for name, last := range map[string]error{"taken": nil, "never": consumererror.NewPermanent(errors.New("never"))} {
		t.Run(name, func(t *testing.T) {
			found := int64(0)
			var r *rig
			r = newRig(t, nil, func(m *meter.Meter) {
				m.Grown(map[string]meter.Found{"a": {Provider: "claude", Bytes: 7}})
				found = r.sum("lag")
			}, errors.New("later"), last)
			require.NoError(t, r.Deliver(t.Context(), t.Context(), output()))
			assert.EqualValues(t, 7, found)
			assert.Zero(t, r.sum("lag"))
		})
	}
}

// TestStopWithoutRetries: without retries a batch is dropped if the consumer refuses it, but not if the stop interrupted its
// delivery, because its lines are read again.
func TestStopWithoutRetries(t *testing.T) {
	for name, change := range map[string]func(*configretry.BackOffConfig){
		"disabled": func(c *configretry.BackOffConfig) { c.Enabled = false },
		"expired":  func(c *configretry.BackOffConfig) { c.MaxElapsedTime = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, change, nil, errors.New("later"))
			require.NoError(t, r.Deliver(t.Context(), t.Context(), output()))
			assert.EqualValues(t, 1, r.sum("dropped"))

			ctx, cancel := context.WithCancel(t.Context())
			var err error
			r.Logs, err = consumer.NewLogs(func(ctx context.Context, _ plog.Logs) error {
				cancel()
				return ctx.Err()
			})
			require.NoError(t, err)
			left := output()
			require.ErrorIs(t, r.Deliver(ctx, ctx, left), context.Canceled)
			assert.Equal(t, 1, left.Logs.LogRecordCount())
			assert.EqualValues(t, 1, r.sum("dropped"))
		})
	}
}
