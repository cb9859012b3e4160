// Package memory holds what a parser remembers of its stream, within a bound: what was seen, which call waits.
//
// In goes a key and what is known of it, out comes what was last put there. Once a Memory is full, the entry that came
// first is forgotten for each new one; a repeat of it is then taken for new. One goroutine at a time.
package memory

// Memory is a map that holds no more than its limit of entries and forgets the oldest.
type Memory[V any] struct {
	limit int
	vals  map[uint64]V
	order []uint64
	next  int // where order wraps, once it is full
}

// New returns a memory of at most limit entries.
func New[V any](limit int) Memory[V] { return Memory[V]{limit: limit} }

// Get gives what is known of key.
func (m *Memory[V]) Get(key uint64) (V, bool) {
	v, ok := m.vals[key]
	return v, ok
}

// Set remembers v for key. A key that is known keeps its age.
func (m *Memory[V]) Set(key uint64, v V) {
	if m.limit <= 0 {
		return
	}
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
