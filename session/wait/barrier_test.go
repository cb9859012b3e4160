package wait_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/session/wait"
)

func TestBarrier(t *testing.T) {
	at := func(sec int64) time.Time { return time.Unix(sec, 0) }
	var b wait.Barrier[int]
	assert.False(t, b.Await("x", 1), "nobody is expected")
	b.Expect("a", at(10))
	b.Expect("b", at(20))
	assert.True(t, b.Await("x", 1) && b.Blocks("x"))
	assert.True(t, b.Await("y", 2))
	assert.False(t, b.Await("a", 3), "it is expected itself")
	assert.Empty(t, b.Done("a"), "the other one is missing")
	b.Remove(2)
	assert.Equal(t, []int{1}, b.Done("b"))
	assert.False(t, b.Blocks("x"))

	b.Expect("c", at(20))
	assert.True(t, b.Await("x", 1))
	assert.Empty(t, b.Expire(at(19)))
	assert.Equal(t, []int{1}, b.Expire(at(20)))
	assert.Empty(t, b.Expire(at(21)), "once")
}

func TestLatest(t *testing.T) {
	var l wait.Latest
	assert.True(t, l.Before(time.Unix(1, 0)))
	l.Set(time.Unix(5, 0))
	assert.False(t, l.Before(time.Unix(4, 0)))
	assert.True(t, l.Before(time.Unix(5, 0)))
	l.Set(time.Unix(5, 1))
	assert.True(t, l.Before(time.Unix(5, 0)), "too soon to count")
}
