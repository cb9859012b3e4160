package telemetry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/emit"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/telemetry"
)

// TestUsed checks the reported usage: what is added to the metrics, with the details that metrics lack. A call has its
// time, and the rest of the run's totals and the estimate have the time of its end.
func TestUsed(t *testing.T) {
	settings := telemetry.NewDefaultSettings()
	settings.Prices, settings.MetricsOnly = demoPrices, true
	registry := telemetry.NewRegistry(settings)
	var got []emit.Used
	s := registry.Open(telemetry.StreamSettings{
		Agent:    program.Agent{Provider: "claude", ServiceName: "claude-code"},
		Identity: otlp.NewIdentity(otlp.Attribute{Key: otlp.AttrPipelineName, Value: "nightly"}),
		OnUsed:   func(u emit.Used) { got = append(got, u) },
	})
	start := started()
	start.Session = &events.Session{WorkingDir: "/w"}
	whole := events.Usage{Scope: events.UsageScopeRun, Tokens: events.Tokens{Input: 3000, Output: 100}}
	s.Feed(telemetry.Line{}, []events.DisplayEvent{
		start, text(1, "m1", "a"), spend(2, "m1", "demo-large", events.Usage{Tokens: events.Tokens{Input: 1000, Output: 100}}), spend(3, "", "demo-large", whole),
		{Kind: events.KindSessionEnded, Time: at(5), SessionID: "s1", End: &events.End{Duration: time.Second}},
	})
	s.Close(otlp.CloseReasonShutdown)
	out := s.Take()
	assert.Zero(t, out.Traces.SpanCount())
	assert.Zero(t, out.Logs.LogRecordCount())
	used := func(sec float64) emit.Used {
		return emit.Used{Time: at(sec), Session: "s1", Folder: "/w", Agent: "claude-code", Model: "demo-large", Pipeline: "nightly"}
	}
	call, estimate, rest := used(2), used(5), used(5)
	call.Tokens = events.Tokens{Input: 1000, Output: 100}
	estimate.EstimateUSD = (3000*10 + 100*50) / 1e6
	rest.Tokens = events.Tokens{Input: 2000}
	for i := range got {
		got[i].Time = got[i].Time.UTC()
	}
	assert.Equal(t, []emit.Used{call, estimate, rest}, got)
	sum := 0.0
	for _, rm := range registry.Metrics().TakeLast(time.Now())[1].ResourceMetrics().All() {
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			if m.Name() == "gen_ai.client.token.usage" {
				for _, p := range m.Histogram().DataPoints().All() {
					sum += p.Sum()
				}
			}
		}
	}
	assert.EqualValues(t, 3100, sum)
}
