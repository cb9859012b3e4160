package memory

import "math/bits"

// Table maps hashes to values. A known key keeps its age. A key that occurs again after its eviction counts as new. The
// zero Table remembers nothing.
//
// Keys must be hashes, because they are used as slot indexes (open addressing, linear probing). Every line, span and
// record passes through a Table. It costs a quarter of a Go map with a list, and the garbage collector does not scan a
// Table without values.
type Table[V any] struct {
	limit   int
	entries []entry[V] // oldest first; a ring once the limit is reached
	next    int        // the oldest entry of a full ring
	// slots hold indexes into entries: the low bits are the index plus one, the others are bits of the key. So most
	// lookups compare neighbors in one cache line and touch only the entry that matches. A key's slot is the one at its
	// low bits or the next free one; 0 is free. At most two thirds are taken. slots is nil while there are few entries.
	slots []uint32
}

type entry[V any] struct {
	val V // first: a zero-size last field would be padded
	key uint64
}

const (
	// fewEntries is the number of entries that are searched linearly, without slots: most streams are short.
	fewEntries = 8
	leastSlots = 2 * fewEntries
)

// NewTable returns a Table of at most limit entries.
func NewTable[V any](limit int) Table[V] { return Table[V]{limit: limit} }

// Len returns the number of entries.
func (m *Table[V]) Len() int { return len(m.entries) }

// Reserve allocates the room of all entries up to the limit, unless the limit is reached.
func (m *Table[V]) Reserve() {
	if n := len(m.entries); n >= m.limit || m.limit <= fewEntries {
		return
	}
	m.entries = append(make([]entry[V], 0, m.limit), m.entries...)
	m.resize(1 << bits.Len(uint(m.limit+m.limit/2)))
}

// Get returns the value of a key. ok is false if the key is unknown.
func (m *Table[V]) Get(key uint64) (value V, ok bool) {
	if e := m.find(key); e != nil {
		return e.val, true
	}
	return value, false
}

// Set stores v for key.
func (m *Table[V]) Set(key uint64, v V) {
	if e := m.find(key); e != nil {
		e.val = v
	} else if m.limit > 0 {
		m.add(entry[V]{v, key})
	}
}

// Add stores the zero value for a key unless it is known, and reports whether the key is new.
func (m *Table[V]) Add(key uint64) bool {
	if m.find(key) != nil {
		return false
	}
	if m.limit > 0 {
		m.add(entry[V]{key: key})
	}
	return true
}

// Find returns a pointer to the value of a key, or nil. The pointer is valid until the next insertion.
func (m *Table[V]) Find(key uint64) *V {
	if e := m.find(key); e != nil {
		return &e.val
	}
	return nil
}

// Ref is like Find but inserts an unknown key with the zero value. If the limit is 0, the value is not remembered.
func (m *Table[V]) Ref(key uint64) *V {
	if e := m.find(key); e != nil {
		return &e.val
	}
	if m.limit <= 0 {
		return new(V)
	}
	return &m.add(entry[V]{key: key}).val
}

// Due returns the key that the next insertion evicts. ok is false while there is room.
func (m *Table[V]) Due() (key uint64, ok bool) {
	if len(m.entries) < m.limit || m.limit == 0 {
		return 0, false
	}
	return m.entries[m.next].key, true
}

func (m *Table[V]) find(key uint64) *entry[V] {
	if m.slots == nil {
		for i := range m.entries {
			if m.entries[i].key == key {
				return &m.entries[i]
			}
		}
		return nil
	}
	last, places := uint64(len(m.slots)-1), m.places()
	own := slotOf(key, 0, places)
	for at := key & last; m.slots[at] != 0; at = (at + 1) & last {
		if slot := m.slots[at]; slot&^places == own && m.entries[slot&places-1].key == key {
			return &m.entries[slot&places-1]
		}
	}
	return nil
}

// places is the mask of the bits of a slot that hold the index of an entry.
func (m *Table[V]) places() uint32 { return 1<<bits.Len(uint(m.limit)) - 1 }

// slotOf returns the slot of the nth entry. It skips the key's lowest bits, the slot's index, and its highest, which select a Set's part.
func slotOf(key uint64, nth int, places uint32) uint32 { return uint32(key>>24)&^places | uint32(nth) }

// add inserts an unknown key.
func (m *Table[V]) add(e entry[V]) *entry[V] {
	if n := len(m.entries); n < m.limit {
		if n == cap(m.entries) { // append would grow a long slice by a quarter each time and copy it again and again
			m.entries = append(make([]entry[V], 0, min(m.limit, max(2*n, fewEntries/2))), m.entries...)
		}
		m.entries = append(m.entries, e)
		if n++; n > fewEntries && 3*n > 2*len(m.slots) {
			m.grow()
		} else {
			m.place(e.key, n)
		}
		return &m.entries[n-1]
	}
	at := m.next
	m.release(at)
	m.entries[at] = e
	m.place(e.key, at+1)
	if m.next++; m.next == m.limit {
		m.next = 0
	}
	return &m.entries[at]
}

// place stores the nth entry's index in a free slot.
func (m *Table[V]) place(key uint64, nth int) {
	if m.slots == nil {
		return
	}
	last := uint64(len(m.slots) - 1)
	at := key & last
	for m.slots[at] != 0 {
		at = (at + 1) & last
	}
	m.slots[at] = slotOf(key, nth, m.places())
}

func (m *Table[V]) grow() { m.resize(max(leastSlots, 2*len(m.slots))) }

func (m *Table[V]) resize(slots int) {
	m.slots = make([]uint32, slots)
	clear(m.slots) // write first: reading a fresh page before writing it costs a second page fault
	for i := range m.entries {
		m.place(m.entries[i].key, i+1)
	}
}

// release frees the slot of an entry and moves the later ones that were displaced by it.
func (m *Table[V]) release(at int) {
	if m.slots == nil {
		return
	}
	last, places := uint64(len(m.slots)-1), m.places()
	free := m.entries[at].key & last
	for m.slots[free]&places != uint32(at+1) {
		free = (free + 1) & last
	}
	for at := (free + 1) & last; m.slots[at] != 0; at = (at + 1) & last {
		home := m.entries[m.slots[at]&places-1].key & last
		if (at-home)&last >= (at-free)&last { // its home slot is not between the two
			m.slots[free] = m.slots[at]
			free = at
		}
	}
	m.slots[free] = 0
}
