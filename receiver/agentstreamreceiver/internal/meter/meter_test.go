package meter_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/metadata"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/meter"
)

// newMeter returns a Meter, and a reader of its metrics.
func newMeter(t *testing.T) (*componenttest.Telemetry, *meter.Meter) {
	t.Helper()
	tel := componenttest.NewTelemetry()
	t.Cleanup(func() { assert.NoError(t, tel.Shutdown(context.Background())) })
	builder, err := metadata.NewTelemetryBuilder(tel.NewTelemetrySettings())
	require.NoError(t, err)
	m, err := meter.New(builder)
	require.NoError(t, err)
	return tel, m
}

// lagOf returns the totals of providers without zeros.
func lagOf(t *testing.T, tel *componenttest.Telemetry) map[string]int64 {
	t.Helper()
	got, err := tel.GetMetric("otelcol_receiver_agent_stream_lag")
	require.NoError(t, err)
	totals := map[string]int64{}
	for _, p := range got.Data.(metricdata.Gauge[int64]).DataPoints {
		if provider, _ := p.Attributes.Value("provider"); p.Value != 0 {
			totals[provider.AsString()] = p.Value
		}
	}
	return totals
}

// TestLagTotals: a stream counts once, under its latest provider, and by what was last reported or found.
func TestLagTotals(t *testing.T) {
	tel, m := newMeter(t)
	for _, step := range []struct {
		name string
		do   func()
		want map[string]int64
	}{
		{"one", func() { m.Behind("a", "claude", 100) }, map[string]int64{"claude": 100}},
		{"another", func() { m.Behind("b", "claude", 50) }, map[string]int64{"claude": 150}},
		{"as before", func() { m.Behind("b", "", -1) }, map[string]int64{"claude": 150}},
		{"of no provider yet", func() { m.Behind("c", "", 7) }, map[string]int64{"claude": 150, "undecided": 7}},
		{"of a provider", func() { m.Behind("c", "codex", -1) }, map[string]int64{"claude": 150, "codex": 7}},
		{"found", func() {
			m.Grown(map[string]meter.Found{"b": {Provider: "claude", Bytes: 90}, "c": {Provider: "codex", Bytes: 3}, "d": {Provider: "qwen", Bytes: 1}})
		}, map[string]int64{"claude": 190, "codex": 7, "qwen": 1}},
		{"reported anew", func() { m.Behind("b", "claude", 20) }, map[string]int64{"claude": 120, "codex": 7, "qwen": 1}},
		{"read on", m.Resumed, map[string]int64{"claude": 120, "codex": 7}},
		{"read on again", m.Resumed, map[string]int64{"claude": 120, "codex": 7}},
		{"at the end", func() { m.Behind("a", "", 0) }, map[string]int64{"claude": 20, "codex": 7}},
		{"and the other", func() { m.Behind("b", "claude", 0) }, map[string]int64{"codex": 7}},
	} {
		step.do()
		assert.Equal(t, step.want, lagOf(t, tel), step.name)
	}
}
