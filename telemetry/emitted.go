package telemetry

import (
	"encoding/binary"
	"hash/maphash"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// emitted remembers the ids that went out, as 64-bit marks, up to a limit; the oldest are forgotten first.
type emitted struct {
	marks map[uint64]struct{}
	ring  []uint64
	next  int
	limit int
}

func newEmitted(limit int) emitted {
	return emitted{marks: map[uint64]struct{}{}, limit: limit}
}

// first enters a mark and reports whether it is new.
func (e *emitted) first(mark uint64) bool {
	if _, seen := e.marks[mark]; seen {
		return false
	}
	if len(e.ring) < e.limit {
		e.ring = append(e.ring, mark)
	} else {
		delete(e.marks, e.ring[e.next])
		e.ring[e.next] = mark
		e.next = (e.next + 1) % e.limit
	}
	e.marks[mark] = struct{}{}
	return true
}

// has reports whether a mark was entered.
func (e *emitted) has(mark uint64) bool {
	_, seen := e.marks[mark]
	return seen
}

// spanMark mixes the ids, which are hashes already. A span id alone would do, but for two traces of one pipeline each.
func spanMark(trace pcommon.TraceID, span pcommon.SpanID) uint64 {
	return binary.BigEndian.Uint64(span[:]) ^ binary.BigEndian.Uint64(trace[:8])*0x9e3779b97f4a7c15
}

var markSeed = maphash.MakeSeed()

func recordMark(uid string) uint64 { return maphash.String(markSeed, uid) }

// owners remembers which stream told of a thing first, up to a limit of things.
type owners struct {
	limit  int
	stream map[string]string
	order  []string
}

func newOwners(limit int) owners { return owners{limit: limit, stream: map[string]string{}} }

// claim reports whether the thing is stream's: nobody told of it before, or stream itself did.
func (o *owners) claim(thing, stream string) bool {
	if owner, told := o.stream[thing]; told {
		return owner == stream
	}
	o.stream[thing] = stream
	o.order = append(o.order, thing)
	if len(o.order) > o.limit {
		delete(o.stream, o.order[0])
		o.order = o.order[1:]
	}
	return true
}
