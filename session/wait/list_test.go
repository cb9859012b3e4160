package wait_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/session/wait"
)

func TestList(t *testing.T) {
	var l wait.List[string]
	assert.True(t, l.Empty())
	assert.Empty(t, l.Take("x"))
	l.Remove("nobody")
	l.Add("x", "a")
	l.Add("x", "b")
	l.Add("x", "a")
	l.Add(7, "a")
	assert.Equal(t, []string{"a", "b"}, l.Of("x"), "each once, in the order in which they came")
	assert.Equal(t, []string{"a", "b"}, l.Take("x"))
	assert.Empty(t, l.Take("x"))
	assert.Equal(t, []string{"a"}, l.Of(7), "it waits on for what is not there")

	l.Add("x", "b")
	l.Add("x", "a")
	l.Drop("x", "b")
	l.Drop("y", "b")
	assert.Equal(t, []string{"a"}, l.Of("x"))
	l.Remove("a")
	assert.True(t, l.Empty())
	l.Add("x", "a")
	assert.Equal(t, []string{"a"}, l.Take("x"), "who was taken out can wait again")
	assert.True(t, l.Empty())
}

// BenchmarkList: the cost of adding and removing a waiter does not depend on the number of others.
func BenchmarkList(b *testing.B) {
	var l wait.List[int]
	for i := range 100_000 {
		l.Add("x", -i-1)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		l.Add("x", i)
		l.Remove(i)
	}
}
