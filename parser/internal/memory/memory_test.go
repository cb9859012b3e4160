package memory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/parser/internal/memory"
)

func TestOldestIsForgottenFirst(t *testing.T) {
	m := memory.New[string](3)
	m.Set(1, "a")
	m.Set(2, "b")
	m.Set(3, "c")
	m.Set(1, "a2") // an update keeps its age
	m.Set(4, "d")

	held := map[uint64]string{}
	for key := range uint64(6) {
		if v, ok := m.Get(key); ok {
			held[key] = v
		}
	}
	assert.Equal(t, map[uint64]string{2: "b", 3: "c", 4: "d"}, held)

	for key := range uint64(1000) {
		m.Set(key, "x")
	}
	n := 0
	for key := range uint64(1000) {
		if _, ok := m.Get(key); ok {
			n++
		}
	}
	assert.Equal(t, 3, n, "never more than the limit")
}

func TestNothingIsHeldWithoutALimit(t *testing.T) {
	var m memory.Memory[int]
	m.Set(1, 1)
	_, ok := m.Get(1)
	assert.False(t, ok)
}
