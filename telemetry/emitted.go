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

// spanMark mixes the ids, which are hashes already. A span id alone would do, but for two traces of one pipeline each.
func spanMark(trace pcommon.TraceID, span pcommon.SpanID) uint64 {
	return binary.BigEndian.Uint64(span[:]) ^ binary.BigEndian.Uint64(trace[:8])*0x9e3779b97f4a7c15
}

var markSeed = maphash.MakeSeed()

func recordMark(uid string) uint64 { return maphash.String(markSeed, uid) }

// owners remembers which session told a run first, up to a limit of runs.
type owners struct {
	limit   int
	session map[string]string
	order   []string
}

func newOwners(limit int) owners { return owners{limit: limit, session: map[string]string{}} }

// claim reports whether the run is session's: nobody told it before, or session itself did.
func (o *owners) claim(run, session string) bool {
	if owner, told := o.session[run]; told {
		return owner == session
	}
	o.session[run] = session
	o.order = append(o.order, run)
	if len(o.order) > o.limit {
		delete(o.session, o.order[0])
		o.order = o.order[1:]
	}
	return true
}
