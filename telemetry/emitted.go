package telemetry

import (
	"encoding/binary"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// emitted remembers the ids that went out, up to a limit; the oldest are forgotten first.
type emitted struct{ marks }

func newEmitted(limit int) emitted { return emitted{marks{limit: limit}} }

// first enters a mark and reports whether it is new.
func (e *emitted) first(mark uint64) bool {
	isNew, _ := e.add(mark)
	return isNew
}

// spanMark mixes the ids, which are hashes already. A span id alone would do, but for two traces of one pipeline each.
func spanMark(trace pcommon.TraceID, span pcommon.SpanID) uint64 {
	return binary.BigEndian.Uint64(span[:]) ^ binary.BigEndian.Uint64(trace[:8])*0x9e3779b97f4a7c15
}

// recordMark is a part of the uid, which is a hash already.
func recordMark(u uid) uint64 { return binary.BigEndian.Uint64(u[:8]) }

// owners remembers which stream told of a thing first, by the thing's hash.
type owners struct {
	memory[uint64, string]
}

func newOwners(limit int, forgotten *int) owners {
	return owners{newMemory[uint64, string](limit, forgotten)}
}

// claim reports whether the thing is stream's: nobody told of it before, or stream itself did.
func (o *owners) claim(thing uint64, stream string) bool {
	if owner, told := o.get(thing); told {
		return owner == stream
	}
	o.set(thing, stream)
	return true
}
