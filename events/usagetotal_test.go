package events_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
)

// TestRunningTotalsAreBounded adds more models than the number of running totals that are kept.
func TestRunningTotalsAreBounded(t *testing.T) {
	for _, scope := range []events.UsageScope{events.UsageScopeProcess, events.UsageScopeSession} {
		var total events.UsageTotal
		for i := range 3000 {
			total.Add(strconv.Itoa(i), &events.Usage{Scope: scope, Tokens: events.Tokens{Input: 1}})
		}
		total.Add("7", &events.Usage{Scope: scope, Tokens: events.Tokens{Input: 3}})
		assert.EqualValues(t, 1024+2, total.Sum().Tokens.Input, "the first ones, and their last totals")
	}
}
