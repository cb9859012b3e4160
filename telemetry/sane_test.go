package telemetry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// TestAbsurdSpanIsInNoMetric has a run whose two lines are a century apart: its duration would dominate the metric's sum.
func TestAbsurdSpanIsInNoMetric(t *testing.T) {
	registry := newRegistry()
	stream := registry.Open(telemetry.StreamSettings{ID: "f", Agent: claude})
	end := ended("")
	end.Time = epoch.AddDate(100, 0, 0)
	stream.Feed(telemetry.Line{}, line(text(1, "m1", "a")))
	stream.Feed(telemetry.Line{Offset: 1}, line(end))
	stream.Close(otlp.CloseReasonShutdown)
	var f collected
	f.take(stream.Take())
	assert.Equal(t, 1, f.counts.ImplausibleDurations)
	metrics := registry.Metrics().TakeLast(at(1000))[1]
	for _, rm := range metrics.ResourceMetrics().All() {
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			if m.Name() == otlp.MetricRuns {
				continue
			}
			for _, p := range m.Histogram().DataPoints().All() {
				assert.LessOrEqual(t, p.Sum(), (time.Hour).Seconds(), m.Name())
			}
		}
	}
	assert.NotContains(t, f.records[len(f.records)-1].Body().Str(), " h ")
}

// TestTooManyTokens has implausibly large usages: only the following ones count.
func TestTooManyTokens(t *testing.T) {
	usage := func(sec float64, scope events.UsageScope, input int64) events.DisplayEvent {
		return events.DisplayEvent{Kind: events.KindUsage, Time: at(sec), SessionID: "s1", MessageID: "m1", Model: "m1", Usage: &events.Usage{
			Scope: scope, Tokens: events.Tokens{Input: input}, Provider: events.Tokens{Input: input},
		}}
	}
	for _, scope := range []events.UsageScope{events.UsageScopeCall, events.UsageScopeSession} {
		f := collect(t, script{
			line(started(), text(1, "m1", "a"), usage(2, scope, 1<<40+1), usage(3, scope, 7), ended("")),
		}, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
		run := f.span(t, "invoke_agent claude-code")
		assert.Equal(t, "7", attr(run, otlp.AttrUsageInput), scope)
		assert.Equal(t, 1, f.counts.ImplausibleTokens)
	}
}

// TestTotalThatFalls has running totals of which one part falls because the program restarted: nothing is negative.
func TestTotalThatFalls(t *testing.T) {
	total := func(sec float64, input, output int64, cost float64) events.DisplayEvent {
		return events.DisplayEvent{Kind: events.KindUsage, Time: at(sec), SessionID: "s1", Model: "m1", Usage: &events.Usage{
			Scope: events.UsageScopeProcess, Tokens: events.Tokens{Input: input, Output: output}, CostUSD: cost, HasCost: true,
		}}
	}
	f := collect(t, script{
		line(started(), text(1, "m1", "a"), total(2, 100, 50, 1), ended("")),
		line(started(), text(3, "m2", "b"), total(4, 120, 20, 0.5), ended("")),
	}, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
	var got []string
	for _, s := range f.spans {
		if attr(s, otlp.AttrGenAIOperationName) == otlp.OperationInvokeAgent {
			got = append(got, attr(s, otlp.AttrGenAIInputTokens)+" "+attr(s, otlp.AttrGenAIOutputTokens)+" "+attr(s, otlp.AttrCostUSD))
		}
	}
	assert.Equal(t, []string{"100 50 1", "120 20 0.5"}, got)
}

// TestTotalOfAnotherStream: a file with another session's ID does not change that session's usage.
func TestTotalOfAnotherStream(t *testing.T) {
	total := func(sec float64, input int64) events.DisplayEvent {
		return events.DisplayEvent{Kind: events.KindUsage, Time: at(sec), SessionID: "s1", Model: "m1", Usage: &events.Usage{
			Scope: events.UsageScopeSession, Tokens: events.Tokens{Input: input},
		}}
	}
	registry := newRegistry()
	stream := registry.Open(telemetry.StreamSettings{ID: "f", Agent: claude})
	other := registry.Open(telemetry.StreamSettings{ID: "g", Agent: claude})
	stream.Feed(telemetry.Line{}, line(started(), text(1, "m1", "a"), total(2, 5000), ended("")))
	other.Feed(telemetry.Line{}, line(started(), text(2, "m9", "z"), total(3, 1), ended("")))
	stream.Feed(telemetry.Line{Offset: 1}, line(started(), text(3, "m2", "b"), total(4, 7000), ended("")))
	var f collected
	f.take(stream.Take())
	var got []string
	for _, s := range f.spans {
		if attr(s, otlp.AttrGenAIOperationName) == otlp.OperationInvokeAgent {
			got = append(got, attr(s, otlp.AttrGenAIInputTokens))
		}
	}
	assert.Equal(t, []string{"5000", "2000"}, got)
	stream.Close(otlp.CloseReasonShutdown)
	other.Close(otlp.CloseReasonShutdown)
}
