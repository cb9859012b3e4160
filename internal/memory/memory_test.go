package memory

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMap(t *testing.T) {
	evicted := 0
	m := NewMap[string, int](2, &evicted)
	m.Set("a", 1)
	m.Set("b", 2)
	m.Set("a", 3)
	assert.Zero(t, evicted, "a key that is known takes no room")
	m.Set("c", 4)
	_, known := m.Get("a")
	assert.False(t, known, "the oldest goes first, however often it was set")
	assert.Equal(t, 1, evicted)
	value, known := m.Take("b")
	assert.True(t, known)
	assert.Equal(t, 2, value)
	m.Set("d", 5)
	assert.Equal(t, 1, evicted, "a taken key does not count as evicted")
	assert.Len(t, m.values, 2)
}

func TestSet(t *testing.T) {
	e := NewSet(2)
	assert.True(t, e.First(1))
	assert.False(t, e.First(1))
	assert.True(t, e.First(2))
	assert.True(t, e.First(3))
	assert.False(t, e.First(2))
	assert.True(t, e.First(1), "forgotten")
	assert.True(t, e.Has(1))
	assert.False(t, e.Has(2))
}

func TestSetAsMap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const limit = 1500
	e := NewSet(limit)
	marks, order := map[uint64]bool{}, []uint64(nil)
	for range 40 * limit {
		mark := random.Uint64N(4096) // all neighbors, and some with the same slot
		if random.IntN(2) == 0 {
			mark = mark<<32 | random.Uint64N(64)
		}
		mark++
		require.Equal(t, marks[mark], e.Has(mark))
		require.Equal(t, !marks[mark], e.First(mark))
		if !marks[mark] {
			marks[mark] = true
			if order = append(order, mark); len(order) > limit {
				delete(marks, order[0])
				order = order[1:]
			}
		}
	}
	assert.Len(t, marks, limit)
	for mark := range marks {
		assert.True(t, e.Has(mark))
	}
}

func TestSetByMany(t *testing.T) {
	const limit, marks, hands = 8192, 6000, 4
	e := NewSet(limit)
	require.Greater(t, len(e.parts), 1)
	var firsts atomic.Int64
	var all sync.WaitGroup
	for range hands {
		all.Go(func() {
			for n := range uint64(marks) {
				if e.First((n + 1) * 0x9e3779b97f4a7c15) {
					firsts.Add(1)
				}
			}
		})
	}
	all.Wait()
	assert.EqualValues(t, marks, firsts.Load())
	for n := range uint64(marks) {
		require.True(t, e.Has((n+1)*0x9e3779b97f4a7c15))
	}
	for n := uint64(marks); n < 10*limit; n++ {
		require.True(t, e.First((n+1)*0x9e3779b97f4a7c15))
	}
	kept := 0
	for n := range uint64(10 * limit) {
		if e.Has((n + 1) * 0x9e3779b97f4a7c15) {
			kept++
		}
	}
	assert.Equal(t, limit, kept)
	for n := uint64(9*limit + limit/10); n < 10*limit; n++ {
		require.True(t, e.Has((n+1)*0x9e3779b97f4a7c15), "the oldest are forgotten first, but for a few")
	}
	assert.False(t, e.Has(0x9e3779b97f4a7c15))
}

func TestCounter(t *testing.T) {
	evicted := 0
	var o Counter
	for _, step := range []struct {
		id   string
		want int
	}{{"a", 0}, {"a", 1}, {"b", 0}, {"a", 2}, {"c", 0}, {"a", 0}, {"a", 1}, {"c", 1}} {
		n, wasEvicted := o.Next(uint64(step.id[0]), 2)
		assert.Equal(t, step.want, n, step.id)
		if wasEvicted {
			evicted++
		}
	}
	assert.Equal(t, 2, evicted, "a for c, then b for a")
	assert.Len(t, o.many.again, 2)
}

// scattered returns a mark that is distributed like a hash: consecutive multiples of a number are spread evenly.
func scattered(n uint64) uint64 {
	n *= 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

func BenchmarkSet(b *testing.B) {
	b.Run("by=table", func(b *testing.B) {
		e, n := NewSet(500_000), uint64(0)
		for b.Loop() {
			n++
			e.First(scattered(n))
		}
	})
	b.Run("by=many", func(b *testing.B) {
		e := NewSet(500_000)
		var next atomic.Uint64
		b.RunParallel(func(pb *testing.PB) {
			for n := next.Add(1 << 32); pb.Next(); n++ {
				e.First(scattered(n))
			}
		})
	})
	b.Run("by=map", func(b *testing.B) {
		m, n := map[uint64]struct{}{}, uint64(0)
		for b.Loop() {
			n++
			if n%500_000 == 0 {
				clear(m)
			}
			m[scattered(n)] = struct{}{}
		}
	})
}
