package memory_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

func TestAnEntryIsChangedInPlace(t *testing.T) {
	m := memory.New[int](2)
	assert.Nil(t, m.Find(1))
	*m.Put(1) = 5
	*m.Put(1) += 2
	*m.Find(1)++
	v, ok := m.Get(1)
	assert.Equal(t, 8, v)
	assert.True(t, ok)

	none := memory.New[int](0)
	*none.Put(1) = 5
	assert.Nil(t, none.Find(1))
}

// TestAgainstAMap does at random what parsers do, and holds the answers to those of a map and a list. Few keys that
// share their lowest bits make searches long and let them cross the end of the table.
func TestAgainstAMap(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 0))
		limit := 1 + random.IntN(40)
		m, want, order := memory.New[int](limit), map[uint64]int{}, []uint64(nil)
		for step := range 2000 {
			key := uint64(random.IntN(100)) * uint64(1+random.IntN(2)*63)
			if random.IntN(3) > 0 {
				got, ok := m.Get(key)
				known, there := want[key]
				require.Equal(t, there, ok, "seed %d, step %d: key %d", seed, step, key)
				require.Equal(t, known, got, "seed %d, step %d: key %d", seed, step, key)
				continue
			}
			if _, there := want[key]; !there {
				if len(order) == limit {
					delete(want, order[0])
					order = order[1:]
				}
				order = append(order, key)
			}
			want[key] = step
			m.Set(key, step)
		}
	}
}

// BenchmarkMemory is what a parser does for a call and its result: it looks whether the id is known, and changes what
// is known of it, twice. A map of the language stands beside it.
func BenchmarkMemory(b *testing.B) {
	const limit = 1 << 12
	keys := make([]uint64, 2*limit)
	for i := range keys {
		keys[i] = rand.Uint64()
	}
	b.Run("memory", func(b *testing.B) {
		m := memory.New[[6]uint64](limit)
		for i := 0; b.Loop(); i++ {
			key := keys[i%len(keys)]
			m.Put(key)[0]++
			m.Put(key)[1]++
		}
	})
	b.Run("map", func(b *testing.B) {
		m := map[uint64][6]uint64{}
		for i := 0; b.Loop(); i++ {
			key := keys[i%len(keys)]
			for field := range 2 {
				v := m[key]
				v[field]++
				m[key] = v
			}
			delete(m, keys[(i+limit)%len(keys)])
		}
	})
}
