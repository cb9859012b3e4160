package memory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/parser/internal/memory"
)

func TestOldestIsForgotten(t *testing.T) {
	m := memory.New[string](2)
	m.Set(1, "a")
	m.Set(2, "b")
	m.Set(1, "a again") // keeps its place
	m.Set(3, "c")
	m.Set(4, "d")
	_, ok := m.Get(1)
	assert.False(t, ok)
	_, ok = m.Get(2)
	assert.False(t, ok)
	v, ok := m.Get(3)
	assert.True(t, ok)
	assert.Equal(t, "c", v)
	v, _ = m.Get(4)
	assert.Equal(t, "d", v)
}
