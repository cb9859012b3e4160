package telemetry_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/telemetry"
)

// demoPrices are the prices of the tests, in US dollars per million tokens.
var demoPrices = ledger.Prices{
	{Model: "demo-large*", Input: 10, Cached: 1, CacheWrite5m: 12.5, CacheWrite1h: 20, Output: 50},
	{Model: "*-small-*x", Input: 1, Cached: 1, CacheWrite5m: 1, CacheWrite1h: 1, Output: 2},
}

func spend(sec float64, message, model string, u events.Usage) events.DisplayEvent {
	return events.DisplayEvent{Kind: events.KindUsage, Time: at(sec), SessionID: "s1", MessageID: message, Model: model, Usage: &u}
}

// TestEstimatedCost has runs whose agents report no cost, with a list of prices.
func TestEstimatedCost(t *testing.T) {
	large := events.Tokens{Input: 1_000_000, CacheRead: 500_000, CacheWrite: 300_000, CacheWrite5m: 100_000, CacheWrite1h: 200_000, Output: 10_000}
	for _, tc := range []struct {
		name, want, estimated string
		usages                []events.DisplayEvent
	}{
		{"tiers of the cache", "8.25", "true", []events.DisplayEvent{spend(2, "m1", "demo-large-2", events.Usage{Tokens: large})}},
		{"two models", "8.253", "true", []events.DisplayEvent{
			spend(2, "m1", "demo-large", events.Usage{Tokens: large}), spend(3, "m1", "a-small-bx", events.Usage{Tokens: events.Tokens{Input: 1000, Output: 1000}}),
		}},
		{"a model without a price", "", "", []events.DisplayEvent{
			spend(2, "m1", "demo-large", events.Usage{Tokens: large}), spend(3, "m1", "a-small-b", events.Usage{Tokens: events.Tokens{Input: 1}}),
		}},
		{"reported", "0.25", "", []events.DisplayEvent{spend(2, "m1", "demo-large", events.Usage{Tokens: large, CostUSD: 0.25, HasCost: true})}},
		{"output that nobody knows", "", "", []events.DisplayEvent{spend(2, "m1", "demo-large", events.Usage{Tokens: events.Tokens{Input: 5}, OutputUnknown: true})}},
		{"output that the end knows", "0.05005", "true", []events.DisplayEvent{
			spend(2, "m1", "demo-large", events.Usage{Tokens: events.Tokens{Input: 5}, OutputUnknown: true}),
			spend(3, "", "demo-large", events.Usage{Scope: events.UsageScopeRun, Tokens: events.Tokens{Input: 5, Output: 1000}}),
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			settings := telemetry.NewDefaultSettings()
			settings.Prices = demoPrices
			registry := telemetry.NewRegistry(settings)
			s := registry.Open(telemetry.StreamSettings{Agent: program.Agent{Provider: "claude", ServiceName: "claude-code"}})
			evs := append([]events.DisplayEvent{started(), text(1, "m1", "a")}, tc.usages...)
			s.Feed(telemetry.Line{}, append(evs, events.DisplayEvent{Kind: events.KindSessionEnded, Time: at(5), SessionID: "s1", End: &events.End{Duration: time.Second}}))
			s.Close(otlp.CloseReasonShutdown)
			cost, estimated, found := "", "", false
			out := s.Take()
			for _, rs := range out.Traces.ResourceSpans().All() {
				for _, ss := range rs.ScopeSpans().All() {
					for _, span := range ss.Spans().All() {
						if attr(span, otlp.AttrGenAIOperationName) == otlp.OperationInvokeAgent {
							cost, estimated, found = attr(span, otlp.AttrCostUSD), attr(span, otlp.AttrCostEstimated), true
						}
					}
				}
			}
			require.True(t, found)
			assert.Equal(t, tc.want, cost)
			assert.Equal(t, tc.estimated, estimated)
			counted := 0.0
			for _, rm := range registry.Metrics().TakeLast(time.Now())[1].ResourceMetrics().All() {
				for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
					if m.Name() == otlp.MetricCost {
						for _, p := range m.Sum().DataPoints().All() {
							counted += p.DoubleValue()
							_, marked := p.Attributes().Get(otlp.AttrCostEstimated)
							assert.Equal(t, tc.estimated == "true", marked)
						}
					}
				}
			}
			if tc.want == "" {
				assert.Zero(t, counted)
			} else {
				assert.InDelta(t, mustFloat(t, tc.want), counted, 1e-9)
			}
		})
	}
}

func mustFloat(t *testing.T, s string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(s, 64)
	require.NoError(t, err)
	return f
}
