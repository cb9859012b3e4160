// Package memory holds what a parser remembers of its stream, within a bound: what was seen, which call waits.
//
// In goes a key and what is known of it, out comes what was last put there. Once a Memory is full, the entry that came
// first is evicted for each new one; a repeat of it is then taken for new. One goroutine at a time.
//
// Keys must be hashes, such as [Keys] makes: they are their own place in the table. Every line is looked up and put in,
// which costs a quarter of what a Go map with a list beside it does.
package memory

// Memory is a table that holds no more than its limit of entries and evicts the oldest.
type Memory[V any] struct {
	limit   int
	entries []entry[V] // in the order they came; a ring once the limit is reached
	next    int        // where the ring wraps
	// slots hold places in entries, counted from 1, at the key's lowest bits or, if those are taken, in the next free
	// slot; 0 is free. At most half of them are taken.
	slots []uint32
}

type entry[V any] struct {
	val V // first, so that one of no size takes no room
	key uint64
}

// minSlots is the size of a table that has just one entry: most streams are short.
const minSlots = 32

// New returns a memory of at most limit entries.
func New[V any](limit int) Memory[V] { return Memory[V]{limit: limit} }

// Get gives what is known of key.
func (m *Memory[V]) Get(key uint64) (V, bool) {
	if e := m.find(key); e != nil {
		return e.val, true
	}
	var none V
	return none, false
}

// Set remembers v for key. A key that is known keeps its age.
func (m *Memory[V]) Set(key uint64, v V) {
	if e := m.find(key); e != nil {
		e.val = v
		return
	}
	if m.limit > 0 {
		m.add(entry[V]{v, key})
	}
}

// Add remembers a key with the zero value, unless it is known; it reports whether it is new.
func (m *Memory[V]) Add(key uint64) bool {
	if m.find(key) != nil {
		return false
	}
	if m.limit > 0 {
		m.add(entry[V]{key: key})
	}
	return true
}

// Find gives the entry of a key to look at and to change, nil if there is none. It is good until the next key is put in.
func (m *Memory[V]) Find(key uint64) *V {
	if e := m.find(key); e != nil {
		return &e.val
	}
	return nil
}

// Ref is Find for a key that is put in, with the zero value, if it is not known. One that there is no room for is not
// remembered.
func (m *Memory[V]) Ref(key uint64) *V {
	if e := m.find(key); e != nil {
		return &e.val
	}
	if m.limit <= 0 {
		return new(V)
	}
	return &m.add(entry[V]{key: key}).val
}

func (m *Memory[V]) find(key uint64) *entry[V] {
	if len(m.slots) == 0 {
		return nil
	}
	mask := uint64(len(m.slots) - 1)
	for at := key & mask; ; at = (at + 1) & mask {
		place := m.slots[at]
		if place == 0 {
			return nil
		}
		if e := &m.entries[place-1]; e.key == key {
			return e
		}
	}
}

// add puts in a key that is not there.
func (m *Memory[V]) add(e entry[V]) *entry[V] {
	if len(m.entries) < m.limit {
		if n := len(m.entries); n == cap(m.entries) { // append would grow a long one by a quarter, and copy it again and again
			m.entries = append(make([]entry[V], 0, min(m.limit, max(2*n, minSlots/4))), m.entries...)
		}
		m.entries = append(m.entries, e)
		if 2*len(m.entries) > len(m.slots) {
			m.grow()
		} else {
			m.place(e.key, len(m.entries))
		}
		return &m.entries[len(m.entries)-1]
	}
	at := m.next
	m.forget(at)
	m.entries[at] = e
	m.place(e.key, at+1)
	if m.next++; m.next == m.limit {
		m.next = 0
	}
	return &m.entries[at]
}

// place notes where the entry of a key lies, counted from 1.
func (m *Memory[V]) place(key uint64, place int) {
	mask := uint64(len(m.slots) - 1)
	at := key & mask
	for m.slots[at] != 0 {
		at = (at + 1) & mask
	}
	m.slots[at] = uint32(place)
}

func (m *Memory[V]) grow() {
	m.slots = make([]uint32, max(minSlots, 2*len(m.slots)))
	clear(m.slots) // written first: what is read first costs a second page fault when it is written
	for i := range m.entries {
		m.place(m.entries[i].key, i+1)
	}
}

// forget frees the slot of an entry, and moves those behind it that are only there because it was taken.
func (m *Memory[V]) forget(place int) {
	mask := uint64(len(m.slots) - 1)
	free := m.entries[place].key & mask
	for m.slots[free] != uint32(place+1) {
		free = (free + 1) & mask
	}
	for at := (free + 1) & mask; m.slots[at] != 0; at = (at + 1) & mask {
		home := m.entries[m.slots[at]-1].key & mask
		if (at-home)&mask >= (at-free)&mask { // its home is not behind the free slot
			m.slots[free] = m.slots[at]
			free = at
		}
	}
	m.slots[free] = 0
}
