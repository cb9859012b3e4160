package memory

import (
	"iter"
	"maps"
)

// Map maps keys to values and remembers the newest keys up to its limit; the oldest are evicted first, and counted. A nil
// one has no key.
type Map[K comparable, V any] struct {
	Limit     int
	values    map[K]V
	order     []K  // oldest first
	forgotten *int // nil: set reports it
}

func NewMap[K comparable, V any](limit int, forgotten *int) Map[K, V] {
	return Map[K, V]{Limit: limit, forgotten: forgotten}
}

// Get is the value of a key; ok is false if it is not known.
func (m *Map[K, V]) Get(key K) (value V, ok bool) {
	if m == nil {
		return value, false
	}
	value, ok = m.values[key]
	return value, ok
}

// Set enters a value, and reports whether a key was evicted for it. A key that is known keeps its age.
func (m *Map[K, V]) Set(key K, value V) (forgot bool) {
	if m.values == nil { // most stay empty
		m.values = map[K]V{}
	}
	before := len(m.values)
	m.values[key] = value
	if len(m.values) == before {
		return false
	}
	m.order = append(m.order, key)
	if len(m.order) > m.Limit {
		if _, known := m.values[m.order[0]]; known {
			delete(m.values, m.order[0])
			forgot = true
			if m.forgotten != nil {
				*m.forgotten++
			}
		}
		m.order = m.order[1:]
	}
	return forgot
}

// Take gives the value of a key and forgets it. A key that is entered again is as old as it was the first time.
func (m *Map[K, V]) Take(key K) (value V, ok bool) {
	if m == nil {
		return value, false
	}
	value, ok = m.values[key]
	delete(m.values, key)
	return value, ok
}

// All returns the keys and their values, in no order.
func (m *Map[K, V]) All() iter.Seq2[K, V] { return maps.All(m.values) }

// Length is how many keys are remembered.
func (m *Map[K, V]) Length() int { return len(m.values) }
