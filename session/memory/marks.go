package memory

import "slices"

// marks are numbers that came, up to a limit; the oldest are evicted first.
//
// Every span, record, call and model message comes by here, so the marks are in a table of their own and not in a map:
// they are hashes or parts of some, so they need no other, and a table of numbers is nothing for the garbage collector to
// look through. A mark stands at the first free place from its own on (open addressing, linear), so a place that becomes
// free is filled again by those behind it that could stand there.
type marks struct {
	table []uint32 // where in ring each is, from 1 on; a power of two long, at most two thirds full; 0 is free; nil while they are few
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
			m.table[place] = uint32(len(m.ring))
		}
		return true, 0
	}
	gone = m.ring[m.next]
	if m.table != nil {
		m.remove(gone)
		m.table[m.find(mark)] = uint32(m.next + 1) // not at its place of before: what stood in front of it may have moved
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

// find is the place where mark stands, or where it would.
func (m *marks) find(mark uint64) uint64 {
	last := uint64(len(m.table) - 1)
	i := mark & last
	for m.table[i] != 0 && m.ring[m.table[i]-1] != mark {
		i = (i + 1) & last
	}
	return i
}

// remove takes a mark out and closes the gap.
func (m *marks) remove(mark uint64) {
	last := uint64(len(m.table) - 1)
	gap := m.find(mark)
	for i := (gap + 1) & last; m.table[i] != 0; i = (i + 1) & last {
		// What stands at i may move to the gap if its own place is not behind that.
		if (i-m.ring[m.table[i]-1])&last >= (i-gap)&last {
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
	for i, mark := range m.ring {
		m.table[m.find(mark)] = uint32(i + 1)
	}
}
