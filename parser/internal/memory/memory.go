// Package memory holds what a parser remembers of its stream, within a bound: what was seen, which call waits.
//
// In goes a key and what is known of it, out comes what was last put there. Keys are hashes: their lowest bits must be as
// good as random. Once a Memory is full, the entry that came first is forgotten for each new one; a repeat of it is then
// taken for new. One goroutine at a time.
package memory

// Memory is a map that holds no more than its limit of entries and forgets the oldest.
//
// It is a table of its own rather than a Go map since a parser asks it several times a line: the keys need no second
// hashing, and [Memory.Find] and [Memory.Put] give the entry itself, so that a look and a change are one search.
type Memory[V any] struct {
	limit   int
	entries []entry[V]
	next    int // the oldest entry, once there are limit of them
	// slots holds places in entries, plus one; 0 is a free slot. An entry's slot is the first free one from its key on, so
	// a search ends at a free slot. At least half of the slots are free.
	slots []uint32
}

type entry[V any] struct {
	val V // first, since an empty field at the end would take room
	key uint64
}

// minSlots is the size of the first table.
const minSlots = 16

// New returns a memory of at most limit entries.
func New[V any](limit int) Memory[V] { return Memory[V]{limit: limit} }

// Get gives what is known of key.
func (m *Memory[V]) Get(key uint64) (v V, ok bool) {
	if p := m.Find(key); p != nil {
		return *p, true
	}
	return v, false
}

// Find gives the entry of key, nil if there is none. It is valid until the next Put or Set.
func (m *Memory[V]) Find(key uint64) *V {
	if len(m.slots) == 0 {
		return nil
	}
	for i := m.home(key); m.slots[i] != 0; i = m.after(i) {
		if e := &m.entries[m.slots[i]-1]; e.key == key {
			return &e.val
		}
	}
	return nil
}

// Set remembers v for key. A key that is known keeps its age.
func (m *Memory[V]) Set(key uint64, v V) {
	if m.limit > 0 {
		*m.Put(key) = v
	}
}

// Put gives the entry of key, a new and empty one if there is none. It is valid until the next Put or Set. A memory
// without room for one entry gives one that it does not keep.
func (m *Memory[V]) Put(key uint64) *V {
	if p := m.Find(key); p != nil {
		return p
	}
	place := len(m.entries)
	switch {
	case m.limit <= 0:
		return new(V)
	case place < m.limit:
		m.entries = append(m.entries, entry[V]{key: key})
	default:
		place = m.next
		m.remove(m.entries[place].key)
		m.entries[place] = entry[V]{key: key}
		m.next = (m.next + 1) % m.limit
	}
	if 2*len(m.entries) > len(m.slots) {
		m.grow()
	} else {
		m.insert(place)
	}
	return &m.entries[place].val
}

func (m *Memory[V]) home(key uint64) int { return int(key & uint64(len(m.slots)-1)) }

func (m *Memory[V]) after(i int) int { return (i + 1) & (len(m.slots) - 1) }

// insert gives the entry at a place its slot.
func (m *Memory[V]) insert(place int) {
	i := m.home(m.entries[place].key)
	for m.slots[i] != 0 {
		i = m.after(i)
	}
	m.slots[i] = uint32(place + 1)
}

// grow makes a table that is half empty at twice the entries.
func (m *Memory[V]) grow() {
	m.slots = make([]uint32, max(minSlots, 2*len(m.slots)))
	for place := range m.entries {
		m.insert(place)
	}
}

// remove frees the slot of a key, and moves up the entries behind it that a search would no longer reach over the gap.
func (m *Memory[V]) remove(key uint64) {
	gap := m.home(key)
	for m.entries[m.slots[gap]-1].key != key {
		gap = m.after(gap)
	}
	mask := len(m.slots) - 1
	for i := m.after(gap); m.slots[i] != 0; i = m.after(i) {
		home := m.home(m.entries[m.slots[i]-1].key)
		if (i-home)&mask >= (i-gap)&mask { // its home is not behind the gap
			m.slots[gap] = m.slots[i]
			gap = i
		}
	}
	m.slots[gap] = 0
}
