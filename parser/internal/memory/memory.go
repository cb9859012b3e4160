// Package memory holds what a parser remembers of a stream, within a bound: the oldest is forgotten first.
package memory

// Memory is a map that holds no more than a limit of entries and forgets the oldest. Keys are hashes, so that nothing
// of the input is kept for them.
type Memory[V any] struct {
	limit int
	vals  map[uint64]V
	order []uint64
	next  int // where order wraps, once it is full
}

// New returns a memory of limit entries.
func New[V any](limit int) Memory[V] { return Memory[V]{limit: limit} }

// Get gives the value of key, and whether it is remembered.
func (m *Memory[V]) Get(key uint64) (V, bool) {
	v, ok := m.vals[key]
	return v, ok
}

// Set remembers v under key.
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
