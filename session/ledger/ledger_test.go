package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/ledger"
)

func used(input, output int64) *events.Usage {
	return &events.Usage{Tokens: events.Tokens{Input: input, Output: output}}
}

func TestLedger(t *testing.T) {
	prices := &ledger.Prices{{Model: "m-*", Input: 1, Output: 2}}
	for _, tc := range []struct {
		name        string
		fill        func(*ledger.Ledger)
		total, rest events.Tokens
		cost        float64
	}{
		{
			name: "calls with spans", total: events.Tokens{Input: 3e6, Output: 3e6}, cost: 9,
			fill: func(l *ledger.Ledger) {
				l.AddCall("m-1", used(1e6, 1e6), true)
				l.AddCall("m-2", used(2e6, 2e6), true)
			},
		},
		{
			name: "call without a span", total: events.Tokens{Input: 30}, rest: events.Tokens{Input: 20}, cost: 30e-6,
			fill: func(l *ledger.Ledger) {
				l.AddCall("m-1", used(10, 0), true)
				l.AddCall("m-1", used(20, 0), false)
			},
		},
		{
			name: "total beyond the calls", total: events.Tokens{Input: 50, Output: 5}, rest: events.Tokens{Input: 40, Output: 5}, cost: 60e-6,
			fill: func(l *ledger.Ledger) {
				l.AddCall("m-1", used(10, 0), true)
				l.AddTotal("m-1", used(50, 5))
			},
		},
		{
			name: "calls that another stream exports", total: events.Tokens{Input: 50}, rest: events.Tokens{Input: 30}, cost: 30e-6,
			fill: func(l *ledger.Ledger) {
				l.AddElsewhere(used(20, 0))
				l.AddTotal("m-1", used(50, 0))
			},
		},
		{
			name: "model without a price", total: events.Tokens{Input: 10}, rest: events.Tokens{Input: 10},
			fill: func(l *ledger.Ledger) { l.AddCall("other", used(10, 0), false) },
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := ledger.Ledger{Prices: prices}
			tc.fill(&l)
			total, rest := l.Total(), l.Rest()
			own := rest.Total()
			assert.Equal(t, tc.total, total.Tokens)
			assert.Equal(t, tc.rest, own.Tokens)
			assert.InDelta(t, tc.cost, total.CostUSD, 1e-9)
		})
	}
}
