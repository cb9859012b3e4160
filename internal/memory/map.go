package memory

import (
	"iter"
	"maps"
)

// Map maps keys to values. It remembers the newest keys up to its limit and evicts and counts the oldest. A nil Map is
// empty.
type Map[K comparable, V any] struct {
	Limit     int
	values    map[K]V
	order     []K  // oldest first
	forgotten *int // nil if the caller counts by the result of Set
}

func NewMap[K comparable, V any](limit int, forgotten *int) Map[K, V] {
	return Map[K, V]{Limit: limit, forgotten: forgotten}
}

// Get returns the value of a key. ok is false if the key is unknown.
func (m *Map[K, V]) Get(key K) (value V, ok bool) {
	if m == nil {
		return value, false
	}
	value, ok = m.values[key]
	return value, ok
}

// Set stores a value and reports whether a key was evicted to make room. A known key keeps its age.
func (m *Map[K, V]) Set(key K, value V) (forgot bool) {
	if m.values == nil { // most Maps stay empty
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

// Take returns the value of a key and removes it. A key that is set again keeps the age of its first Set.
func (m *Map[K, V]) Take(key K) (value V, ok bool) {
	if m == nil {
		return value, false
	}
	value, ok = m.values[key]
	delete(m.values, key)
	return value, ok
}

// All returns the keys and their values in random order.
func (m *Map[K, V]) All() iter.Seq2[K, V] { return maps.All(m.values) }

// Length returns the number of remembered keys.
func (m *Map[K, V]) Length() int { return len(m.values) }
