package replay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/replay"
)

// TestSteps checks that acknowledged steps are stored and repeated between the lines of the next process.
func TestSteps(t *testing.T) {
	var r replay.Replay
	r.Record(replay.Date, "").Accept()
	r.Begin(40, false)
	turn := r.Record(replay.Turn, "r1")
	stored, open := r.Steps()
	assert.Equal(t, []replay.Step{{Do: replay.Date}}, stored)
	assert.True(t, open, "one is not acknowledged")
	turn.Accept()
	stored, open = r.Steps()
	assert.Len(t, stored, 2)
	assert.False(t, open)

	var next replay.Replay
	assert.False(t, next.Restored())
	next.Restore(r.End(), stored, nil)
	assert.True(t, next.Restored() && next.Behind())
	step, ok := next.Next(10)
	assert.True(t, ok)
	assert.Equal(t, replay.Date, step.Do)
	_, ok = next.Next(40)
	assert.False(t, ok, "it followed the line at 40")
	step, ok = next.Next(80)
	assert.Equal(t, replay.Step{At: 40, Do: replay.Turn, Run: "r1"}, step)
	assert.True(t, ok && !next.Behind())
	stored, open = next.Steps()
	assert.Len(t, stored, 2, "for the process after that")
	assert.False(t, open)
	for range 2 * replay.MaxSteps {
		next.Record(replay.Old, "").Accept()
	}
	stored, _ = next.Steps()
	assert.Len(t, stored, replay.MaxSteps)
}

func TestDelivered(t *testing.T) {
	var r replay.Replay
	r.Restore(80, nil, nil)
	assert.True(t, r.Delivered(pending.Origin{Offset: 40}), "nothing was pending")
	r.Restore(80, nil, &replay.Place{Offset: 40, Index: 1})
	assert.True(t, r.Delivered(pending.Origin{Offset: 40}))
	assert.False(t, r.Delivered(pending.Origin{Offset: 40, Index: 1}))
	assert.False(t, r.Delivered(pending.Origin{Offset: 60}))
	r.Begin(60, true)
	assert.Equal(t, []pending.Delivery{pending.Done, pending.Again}, []pending.Delivery{r.DeliveryOf(true), r.DeliveryOf(false)})
	r.Begin(80, false)
	assert.Equal(t, pending.New, r.DeliveryOf(false))
}

// TestHandOver checks that events in the batches of other streams count as pending until all of these are acknowledged.
func TestHandOver(t *testing.T) {
	var r replay.Replay
	r.HandOver(replay.Place{Offset: 40}, 2)
	r.HandOver(replay.Place{Offset: 60}, 1)
	n, first := r.InFlight()
	assert.Equal(t, 3, n)
	assert.Equal(t, &replay.Place{Offset: 40}, first)
	r.AcceptHandOver()
	n, _ = r.InFlight()
	assert.Equal(t, 3, n)
	r.AcceptHandOver()
	n, first = r.InFlight()
	assert.Zero(t, n)
	assert.Nil(t, first)
}
