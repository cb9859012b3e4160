package memory_test

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/memory"
)

func TestOldestIsEvictedFirst(t *testing.T) {
	m := memory.NewTable[string](3)
	m.Set(1, "a")
	m.Set(2, "b")
	m.Set(3, "c")
	m.Set(1, "a2") // an update keeps the age
	m.Set(4, "d")

	kept := map[uint64]string{}
	for key := range uint64(6) {
		if v, ok := m.Get(key); ok {
			kept[key] = v
		}
	}
	assert.Equal(t, map[uint64]string{2: "b", 3: "c", 4: "d"}, kept)

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

func TestNothingIsKeptWithoutALimit(t *testing.T) {
	var m memory.Table[int]
	m.Set(1, 1)
	_, ok := m.Get(1)
	assert.False(t, ok)
}

func TestAdd(t *testing.T) {
	m := memory.NewTable[string](2)
	assert.True(t, m.Add(1))
	m.Set(1, "a")
	assert.False(t, m.Add(1))
	v, ok := m.Get(1)
	assert.True(t, ok)
	assert.Equal(t, "a", v, "a key that is known keeps its value")
	var none memory.Table[string]
	assert.True(t, none.Add(1))
	assert.True(t, none.Add(1), "nothing is held without a limit")
}

func TestRef(t *testing.T) {
	m := memory.NewTable[int](2)
	*m.Ref(1)++
	*m.Ref(1)++
	*m.Ref(2)++
	v, _ := m.Get(1)
	assert.Equal(t, 2, v)
	*m.Ref(3)++
	assert.Zero(t, *m.Ref(1), "it was forgotten, and is new")
}

// TestLikeAMap compares a Table with a map that evicts, using keys that share slots.
func TestLikeAMap(t *testing.T) {
	for _, spread := range []uint64{1, 64, 1 << 32, 0x9e3779b97f4a7c15} {
		for _, limit := range []int{1, 2, 15, 16, 17, 100} {
			r := rand.New(rand.NewPCG(spread, uint64(limit)))
			m, want, order := memory.NewTable[int](limit), map[uint64]int{}, []uint64{}
			reserveAt := r.IntN(4 * limit) // also when it is full
			for step := range 4000 {
				if step == reserveAt {
					m.Reserve()
				}
				key := r.Uint64N(3*uint64(limit)) * spread
				if r.IntN(3) > 0 {
					if _, known := want[key]; !known {
						order = append(order, key)
					}
					if want[key] = step; len(order) > limit {
						delete(want, order[0])
						order = order[1:]
					}
					m.Set(key, step)
				}
				probe := r.Uint64N(3*uint64(limit)) * spread
				got, ok := m.Get(probe)
				wanted, known := want[probe]
				require.Equal(t, known, ok, "spread %d, limit %d, step %d: key %d", spread, limit, step, probe)
				require.Equal(t, wanted, got)
			}
		}
	}
}

// BenchmarkTable stores what each line adds and looks it up once, compared with a map that does the same.
func BenchmarkTable(b *testing.B) {
	const lines = 4096
	keys := make([]uint64, lines)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range keys {
		keys[i] = r.Uint64()
	}
	b.Run("by=table", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m := memory.NewTable[struct{}](1 << 16)
			for _, key := range keys {
				if !m.Add(key) {
					b.Fatal("wrong work")
				}
			}
		}
	})
	b.Run("by=map", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m := map[uint64]struct{}{}
			var order []uint64
			for _, key := range keys {
				if _, ok := m[key]; ok {
					b.Fatal("wrong work")
				}
				m[key] = struct{}{}
				order = append(order, key)
			}
			runtime.KeepAlive(order)
		}
	})
}

func TestAnEntryIsChangedInPlace(t *testing.T) {
	m := memory.NewTable[int](2)
	assert.Nil(t, m.Find(1))
	*m.Ref(1) = 5
	*m.Ref(1) += 2
	*m.Find(1)++
	v, ok := m.Get(1)
	assert.Equal(t, 8, v)
	assert.True(t, ok)
	for key := range uint64(10) {
		*m.Ref(key) = int(key)
	}
	assert.Equal(t, 9, *m.Find(9))
	assert.Nil(t, m.Find(7), "the limit holds")

	none := memory.NewTable[int](0)
	*none.Ref(1) = 5
	assert.Nil(t, none.Find(1))
}
