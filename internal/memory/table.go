package memory

import "math/bits"

// Table maps hashes to values. A key that is known keeps its age; a repeat of one that was evicted is taken for new. A zero Table
// remembers nothing.
//
// Keys must be hashes: they are their own place in the slots (open addressing, linear). Every line, span and record comes by here, which
// costs a quarter of what a Go map with a list beside it does; a table without values in it is nothing for the garbage collector to look
// through.
type Table[V any] struct {
	limit   int
	entries []entry[V] // in the order they came; a ring once the limit is reached
	next    int        // where the ring wraps
	// slots say where in entries a key is: the lowest bits count from 1, the others are some of the key's own. So a key is compared with
	// its neighbours, which are in the same cache line, before an entry is looked at. A slot is at the key's lowest bits or, if that is
	// taken, the next free one; 0 is free. At most two thirds of them are taken; nil while the entries are few.
	slots []uint32
}

type entry[V any] struct {
	val V // first, so that one of no size takes no room
	key uint64
}

const (
	// fewEntries are looked through one by one, without slots: most streams are short.
	fewEntries = 8
	leastSlots = 2 * fewEntries
)

// NewTable makes a table of at most limit entries.
func NewTable[V any](limit int) Table[V] { return Table[V]{limit: limit} }

// Get is the value of a key; ok is false if it is not known.
func (m *Table[V]) Get(key uint64) (value V, ok bool) {
	if e := m.find(key); e != nil {
		return e.val, true
	}
	return value, false
}

// Set remembers v for key.
func (m *Table[V]) Set(key uint64, v V) {
	if e := m.find(key); e != nil {
		e.val = v
	} else if m.limit > 0 {
		m.add(entry[V]{v, key})
	}
}

// Add remembers a key with the zero value, unless it is known; it reports whether it is new.
func (m *Table[V]) Add(key uint64) bool {
	if m.find(key) != nil {
		return false
	}
	if m.limit > 0 {
		m.add(entry[V]{key: key})
	}
	return true
}

// Find gives the value of a key to look at and to change, nil if there is none. It is good until the next key is put in.
func (m *Table[V]) Find(key uint64) *V {
	if e := m.find(key); e != nil {
		return &e.val
	}
	return nil
}

// Ref is Find for a key that is put in, with the zero value, if it is not known. One that there is no room for is not remembered.
func (m *Table[V]) Ref(key uint64) *V {
	if e := m.find(key); e != nil {
		return &e.val
	}
	if m.limit <= 0 {
		return new(V)
	}
	return &m.add(entry[V]{key: key}).val
}

// Due is the key that is evicted for the next new one; ok is false while there is room.
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

// places masks the bits of a slot that say where in entries its key is.
func (m *Table[V]) places() uint32 { return 1<<bits.Len(uint(m.limit)) - 1 }

// slotOf is the slot of a key whose entry is the nth. A key's lowest bits are its place, and its highest may say in which table it is.
func slotOf(key uint64, nth int, places uint32) uint32 { return uint32(key>>24)&^places | uint32(nth) }

// add puts in a key that is not there.
func (m *Table[V]) add(e entry[V]) *entry[V] {
	if n := len(m.entries); n < m.limit {
		if n == cap(m.entries) { // append would grow a long one by a quarter, and copy it again and again
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

// place notes that the entry of a key is the nth.
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

func (m *Table[V]) grow() {
	m.slots = make([]uint32, max(leastSlots, 2*len(m.slots)))
	clear(m.slots) // written first: what is read first costs a second page fault when it is written
	for i := range m.entries {
		m.place(m.entries[i].key, i+1)
	}
}

// release frees the slot of an entry, and moves those behind it that are only there because it was taken.
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
		if (at-home)&last >= (at-free)&last { // its home is not behind the free slot
			m.slots[free] = m.slots[at]
			free = at
		}
	}
	m.slots[free] = 0
}
