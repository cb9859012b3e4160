package telemetry

// memory maps keys to values and remembers the newest keys up to its limit; the oldest are evicted first, and counted. A nil
// one has no key.
type memory[K comparable, V any] struct {
	limit     int
	values    map[K]V
	order     []K  // oldest first
	forgotten *int // nil: set reports it
}

func newMemory[K comparable, V any](limit int, forgotten *int) memory[K, V] {
	return memory[K, V]{limit: limit, forgotten: forgotten}
}

// get is the value of a key; ok is false if it is not known.
func (m *memory[K, V]) get(key K) (value V, ok bool) {
	if m == nil {
		return value, false
	}
	value, ok = m.values[key]
	return value, ok
}

// set enters a value, and reports whether a key was evicted for it. A key that is known keeps its age.
func (m *memory[K, V]) set(key K, value V) (forgot bool) {
	if m.values == nil { // most stay empty
		m.values = map[K]V{}
	}
	before := len(m.values)
	m.values[key] = value
	if len(m.values) == before {
		return false
	}
	m.order = append(m.order, key)
	if len(m.order) > m.limit {
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

// take gives the value of a key and forgets it. A key that is entered again is as old as it was the first time.
func (m *memory[K, V]) take(key K) (value V, ok bool) {
	if m == nil {
		return value, false
	}
	value, ok = m.values[key]
	delete(m.values, key)
	return value, ok
}
