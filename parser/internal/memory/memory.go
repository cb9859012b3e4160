// Package memory remembers what a parser has seen, in bounded space.
package memory

// Memory is a map that holds no more than a limit of entries and forgets the oldest. The keys are hashes: 64 bits make a
// chance meeting among the entries of a memory less likely than one in 10^9. One goroutine at a time.
type Memory[V any] struct {
	limit int
	vals  map[uint64]V
	order []uint64
	next  int // where order wraps, once it is full
}

// New returns a memory of at most limit entries.
func New[V any](limit int) Memory[V] { return Memory[V]{limit: limit} }

// Get gives the value of a key, and whether it is remembered.
func (m *Memory[V]) Get(key uint64) (V, bool) {
	v, ok := m.vals[key]
	return v, ok
}

// Set remembers a value. A key that is there keeps its age.
func (m *Memory[V]) Set(key uint64, v V) {
	if m.vals == nil {
		m.vals = map[uint64]V{}
	}
	if _, ok := m.vals[key]; !ok {
		if len(m.order) < m.limit {
			m.order = append(m.order, key)
		} else {
			delete(m.vals, m.order[m.next])
			m.order[m.next] = key
			m.next = (m.next + 1) % m.limit
		}
	}
	m.vals[key] = v
}
