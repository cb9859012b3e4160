package team_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/team"
)

// found returns the output tokens that the total of a run gets from other accounts: of the calls of its first account that are on
// the run's own span, of those on spans of the other accounts, and of calls that only these have.
func found(x *team.Calls, total bool) (own, placed, beyond int64) {
	only := x.Found(total, func(part team.ModelCall, _ bool) {
		if part.Exported {
			placed += part.Tokens.Output
		} else {
			own += part.Tokens.Output
		}
	})
	sum := only.Total()
	return own, placed, sum.Tokens.Output
}

// TestModelCalls checks that the total of a run has each token of its model calls once, in any order of reports.
func TestModelCalls(t *testing.T) {
	call := func(id byte, output int64, exported bool) team.ModelCall {
		return team.ModelCall{ID: team.CallID{id}, Model: "m", Tokens: events.Tokens{Input: 10, Output: output}, Whole: output > 0, Exported: exported}
	}
	steps := []func(*team.Calls){
		func(x *team.Calls) { x.Lack(call(1, 0, false)) },
		func(x *team.Calls) { x.Report(call(1, 3, false)) },
		func(x *team.Calls) { x.Report(call(1, 5, false)) }, // the transcript was read further
		func(x *team.Calls) { x.Report(call(1, 5, false)) }, // a copy of it
		func(x *team.Calls) { x.Lack(call(2, 0, false)); x.Report(call(2, 7, true)) },
		func(x *team.Calls) { x.Report(call(3, 11, true)) },
		func(x *team.Calls) { x.Report(call(4, 13, true)); x.Export(call(4, 13, false)) }, // the first one had it too
	}
	for first := range steps {
		x := &team.Calls{}
		for i := range steps {
			steps[(first+i)%len(steps)](x)
		}
		own, placed, beyond := found(x, false)
		assert.Equal(t, []int64{5, 7, 11}, []int64{own, placed, beyond}, "beginning with %d", first)
		assert.Zero(t, x.Lacking())
		assert.False(t, x.Complete())
		x.EndOther()
		assert.True(t, x.Complete())
		own, placed, beyond = found(x, true)
		assert.Equal(t, []int64{0, 0, 11}, []int64{own, placed, beyond}, "again")
	}
}

// TestLateModelCall checks that what is reported after the total was made is returned once.
func TestLateModelCall(t *testing.T) {
	x, call := &team.Calls{}, team.ModelCall{ID: team.CallID{1}, Model: "m", Tokens: events.Tokens{Input: 10}}
	x.Lack(call)
	found(x, true)
	assert.Equal(t, 1, x.Lacking())
	call.Tokens.Output, call.Whole = 5, true
	late, isNew := x.Report(call)
	assert.True(t, isNew)
	assert.Equal(t, events.Tokens{Output: 5}, late)
	late, isNew = x.Report(call)
	assert.False(t, isNew)
	assert.Zero(t, late)
}
