package telemetry

import (
	"encoding/binary"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// emitted remembers the ids that went out, as 64-bit marks, up to a limit; the oldest are forgotten first.
//
// Every span and record comes by here, so the marks stand in a table of their own and not in a map: they are parts of
// hashes already, so they need no other, and a table of numbers is nothing for the garbage collector to look through.
// A mark stands at the first free place from its own on (open addressing, linear), so a place that becomes free is filled
// again by those behind it that could stand there.
type emitted struct {
	table []uint64 // a power of two long, at most two thirds full; 0 is a free place
	ring  []uint64 // the marks, oldest first from next on
	next  int
	limit int
}

// leastTable is the length of the smallest table of marks.
const leastTable = 1 << 10

func newEmitted(limit int) emitted {
	return emitted{table: make([]uint64, leastTable), limit: limit}
}

// first enters a mark and reports whether it is new.
func (e *emitted) first(mark uint64) bool {
	mark = standing(mark)
	if e.table[e.find(mark)] == mark {
		return false
	}
	if len(e.ring) < e.limit {
		e.ring = append(e.ring, mark)
		if 3*len(e.ring) > 2*len(e.table) {
			e.grow()
		}
	} else {
		e.remove(e.ring[e.next])
		e.ring[e.next] = mark
		e.next = (e.next + 1) % e.limit
	}
	e.table[e.find(mark)] = mark
	return true
}

// has reports whether a mark was entered.
func (e *emitted) has(mark uint64) bool {
	mark = standing(mark)
	return e.table[e.find(mark)] == mark
}

// standing keeps a mark from looking like a free place.
func standing(mark uint64) uint64 { return max(mark, 1) }

// find is the place where mark stands, or where it would.
func (e *emitted) find(mark uint64) uint64 {
	last := uint64(len(e.table) - 1)
	i := mark & last
	for e.table[i] != mark && e.table[i] != 0 {
		i = (i + 1) & last
	}
	return i
}

// remove takes a mark out and closes the gap.
func (e *emitted) remove(mark uint64) {
	last := uint64(len(e.table) - 1)
	gap := e.find(mark)
	for i := (gap + 1) & last; e.table[i] != 0; i = (i + 1) & last {
		// What stands at i may move to the gap if its own place is not behind that.
		if (i-e.table[i])&last >= (i-gap)&last {
			e.table[gap], gap = e.table[i], i
		}
	}
	e.table[gap] = 0
}

func (e *emitted) grow() {
	old := e.table
	e.table = make([]uint64, 2*len(old))
	for _, mark := range old {
		if mark != 0 {
			e.table[e.find(mark)] = mark
		}
	}
}

// spanMark mixes the ids, which are hashes already. A span id alone would do, but for two traces of one pipeline each.
func spanMark(trace pcommon.TraceID, span pcommon.SpanID) uint64 {
	return binary.BigEndian.Uint64(span[:]) ^ binary.BigEndian.Uint64(trace[:8])*0x9e3779b97f4a7c15
}

// recordMark is a part of the uid, which is a hash already.
func recordMark(u uid) uint64 { return binary.BigEndian.Uint64(u[:8]) }

// owners remembers which stream told of a thing first.
type owners struct {
	memory[string, string]
}

func newOwners(limit int, forgotten *int) owners {
	return owners{newMemory[string, string](limit, forgotten)}
}

// claim reports whether the thing is stream's: nobody told of it before, or stream itself did.
func (o *owners) claim(thing, stream string) bool {
	if owner, told := o.get(thing); told {
		return owner == stream
	}
	o.set(thing, stream)
	return true
}
