package wait_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/session/wait"
)

func TestTimers(t *testing.T) {
	var w wait.Timers[string, int]
	at := func(sec int) time.Time { return time.Unix(int64(sec), 0) }
	w.Stop("x", 1)
	assert.Empty(t, w.All("x"))
	assert.False(t, w.Runs("x", 1))
	w.Start("x", 1, at(0))
	w.Start("x", 2, at(5))
	w.Start("y", 1, at(5))
	assert.ElementsMatch(t, []int{1, 2}, w.All("x"))
	assert.Equal(t, []int{1}, w.Due("x", at(10), 10*time.Second, false))
	assert.Equal(t, []int{1}, w.Due("x", at(10), 10*time.Second, true), "it waits on until it is stopped")
	assert.Empty(t, w.Due("x", at(11), 10*time.Second, true), "and anew since it was due")
	assert.Equal(t, []int{2}, w.Due("x", at(15), 10*time.Second, false))
	w.Start("x", 2, at(12))
	assert.Empty(t, w.Due("x", at(15), 10*time.Second, false), "it began to wait anew")
	assert.True(t, w.Runs("x", 1))
	w.Stop("x", 1)
	assert.False(t, w.Runs("x", 1))
	assert.Equal(t, []int{2}, w.All("x"))
	assert.Equal(t, []int{1}, w.All("y"), "it waits on for the other")
}
