package memory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/parser/internal/memory"
)

func TestMemoryForgetsTheOldest(t *testing.T) {
	m := memory.New[string](3)
	_, ok := m.Get(1)
	assert.False(t, ok, "an empty memory knows nothing")
	m.Set(1, "a")
	m.Set(2, "b")
	m.Set(3, "c")
	m.Set(1, "a again")
	m.Set(4, "d")
	m.Set(5, "e")
	for key, want := range map[uint64]string{3: "c", 4: "d", 5: "e"} {
		got, ok := m.Get(key)
		assert.True(t, ok, "key %d", key)
		assert.Equal(t, want, got)
	}
	for _, key := range []uint64{1, 2} {
		_, ok := m.Get(key)
		assert.False(t, ok, "key %d is older than three others", key)
	}
}
