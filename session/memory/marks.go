package memory

import (
	"math/bits"
	"slices"
)

// marks are numbers that came, up to a limit; the oldest are evicted first.
//
// Every span, record, call and model message comes by here, so the marks are in a table of their own and not in a map:
// they are hashes or parts of some, so they need no other, and a table of numbers is nothing for the garbage collector to
// look through. A mark stands at the first free place from its own on (open addressing, linear), so a place that becomes
// free is filled again by those behind it that could stand there.
//
// An entry is where in ring its mark is, from 1 on, and in the bits that the limit leaves, some of the mark's own. So a mark is
// compared with others of the table alone, whose next entries are in the same cache line, and the ring is looked at for the mark itself.
type marks struct {
	table []uint32 // an entry for each; a power of two long, at most two thirds full; 0 is free; nil while they are few
	ring  []uint64 // the marks, oldest first from next on
	next  int
	limit int
}

const (
	// fewMarks are looked through one by one, without a table: most streams are short.
	fewMarks = 8
	// leastTable is the length of the smallest table.
	leastTable = 16
	// longTable is the length up to which a table grows by four, and not by two: to enter all marks anew is most of what they
	// cost. Longer ones are most of the memory.
	longTable = 1024
)

// add enters a mark. It returns whether the mark is new, and which one was evicted for it, 0 if none was.
func (m *marks) add(mark uint64) (isNew bool, gone uint64) {
	mark = nonZero(mark)
	var place uint64
	if m.table == nil {
		if slices.Contains(m.ring, mark) {
			return false, 0
		}
	} else if place = m.find(mark); m.table[place] != 0 {
		return false, 0
	}
	if len(m.ring) < m.limit {
		m.ring = append(m.ring, mark)
		if len(m.ring) > fewMarks && 3*len(m.ring) > 2*len(m.table) {
			m.grow() // enters it too
		} else if m.table != nil {
			m.table[place] = m.entry(mark, len(m.ring))
		}
		return true, 0
	}
	gone = m.ring[m.next]
	if m.table != nil {
		m.remove(gone)
		m.table[m.find(mark)] = m.entry(mark, m.next+1) // not at its place of before: what stood in front of it may have moved
	}
	m.ring[m.next] = mark
	m.next = (m.next + 1) % m.limit
	return true, gone
}

// has reports whether a mark was entered.
func (m *marks) has(mark uint64) bool {
	mark = nonZero(mark)
	if m.table == nil {
		return slices.Contains(m.ring, mark)
	}
	return m.table[m.find(mark)] != 0
}

// nonZero keeps a mark from looking like a free place.
func nonZero(mark uint64) uint64 { return max(mark, 1) }

// places masks the bits of an entry that say where in ring its mark is.
func (m *marks) places() uint32 { return 1<<bits.Len(uint(m.limit)) - 1 }

// entry is that of a mark which is the nth of ring. The table goes by a mark's lowest bits, and a set by its highest; an entry has some
// of those between.
func (m *marks) entry(mark uint64, nth int) uint32 { return uint32(mark>>24)&^m.places() | uint32(nth) }

// find is the place where mark stands, or where it would.
func (m *marks) find(mark uint64) uint64 {
	last := uint64(len(m.table) - 1)
	places, i := m.places(), mark&last
	own := uint32(mark>>24) &^ places
	for m.table[i] != 0 && (m.table[i]&^places != own || m.ring[m.table[i]&places-1] != mark) {
		i = (i + 1) & last
	}
	return i
}

// remove takes a mark out and closes the gap.
func (m *marks) remove(mark uint64) {
	last, places := uint64(len(m.table)-1), m.places()
	gap := m.find(mark)
	for i := (gap + 1) & last; m.table[i] != 0; i = (i + 1) & last {
		// What stands at i may move to the gap if its own place is not behind that.
		if (i-m.ring[m.table[i]&places-1])&last >= (i-gap)&last {
			m.table[gap], gap = m.table[i], i
		}
	}
	m.table[gap] = 0
}

func (m *marks) grow() {
	growth := 4
	if len(m.table) >= longTable {
		growth = 2
	}
	m.table = make([]uint32, max(leastTable, growth*len(m.table)))
	last := uint64(len(m.table) - 1)
	for i, mark := range m.ring { // all of them are different
		place := mark & last
		for m.table[place] != 0 {
			place = (place + 1) & last
		}
		m.table[place] = m.entry(mark, i+1)
	}
}
