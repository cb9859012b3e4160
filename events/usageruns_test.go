package events_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
)

func TestUsageTotalOfRuns(t *testing.T) {
	usage := func(scope events.UsageScope, input, output int64) events.Usage {
		n := events.Tokens{Input: input, Output: output}
		return events.Usage{Scope: scope, Tokens: n, Provider: n}
	}
	call := func(input, output int64) events.Usage { return usage(events.UsageScopeCall, input, output) }
	priced := func(u events.Usage, usd float64) events.Usage {
		u.CostUSD, u.HasCost = usd, true
		return u
	}
	for _, tc := range []struct {
		name   string
		usages []events.Usage
		want   events.Tokens
		cost   float64
	}{
		{name: "calls add up", usages: []events.Usage{call(10, 4), call(20, 5)}, want: events.Tokens{Input: 30, Output: 9}},
		{name: "a total is the same tokens again", usages: []events.Usage{call(10, 0), call(20, 0), usage(events.UsageScopeRun, 30, 9)}, want: events.Tokens{Input: 30, Output: 9}},
		{name: "a total that leaves out sub-agents", usages: []events.Usage{call(10, 4), call(20, 5), usage(events.UsageScopeRun, 10, 9)}, want: events.Tokens{Input: 30, Output: 9}},
		{name: "a total of nothing", usages: []events.Usage{call(10, 4), usage(events.UsageScopeRun, 0, 0)}, want: events.Tokens{Input: 10, Output: 4}},
		{name: "a run that was killed after others", usages: []events.Usage{call(10, 0), usage(events.UsageScopeRun, 10, 7), call(20, 0)}, want: events.Tokens{Input: 30, Output: 7}},
		{name: "a running total", usages: []events.Usage{usage(events.UsageScopeProcess, 10, 7), usage(events.UsageScopeProcess, 30, 9)}, want: events.Tokens{Input: 30, Output: 9}},
		{name: "a running total that begins anew", usages: []events.Usage{usage(events.UsageScopeProcess, 30, 9), usage(events.UsageScopeProcess, 10, 7)}, want: events.Tokens{Input: 40, Output: 16}},
		{name: "calls between running totals", usages: []events.Usage{call(10, 0), usage(events.UsageScopeSession, 10, 7), call(20, 0), usage(events.UsageScopeSession, 30, 9)}, want: events.Tokens{Input: 30, Output: 9}},
		{name: "a cost alone", usages: []events.Usage{call(10, 4), priced(usage(events.UsageScopeRun, 0, 0), 0.5)}, want: events.Tokens{Input: 10, Output: 4}, cost: 0.5},
		{name: "costs of calls", usages: []events.Usage{priced(call(10, 4), 0.25), priced(call(10, 4), 0.5)}, want: events.Tokens{Input: 20, Output: 8}, cost: 0.75},
		{name: "the cost of a total", usages: []events.Usage{priced(call(10, 4), 0.25), priced(usage(events.UsageScopeRun, 10, 4), 0.5)}, want: events.Tokens{Input: 10, Output: 4}, cost: 0.5},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var total events.UsageTotal
			for i := range tc.usages {
				total.Add("m", &tc.usages[i])
			}
			got := total.Sum()
			assert.Equal(t, tc.want, got.Tokens)
			assert.InDelta(t, tc.cost, got.CostUSD, 1e-9)
			assert.Equal(t, tc.cost > 0, got.HasCost)
		})
	}
}

func TestTokensMax(t *testing.T) {
	n := events.Tokens{Input: 10, Output: 3, CacheWrite1h: 4}
	assert.Equal(t, events.Tokens{Output: 2, CacheRead: 5}, n.Max(events.Tokens{Input: 8, Output: 5, CacheRead: 5}))
	assert.Equal(t, events.Tokens{Input: 10, Output: 5, CacheRead: 5, CacheWrite1h: 4}, n)
}
