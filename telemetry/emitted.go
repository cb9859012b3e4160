package telemetry

import (
	"encoding/binary"
	"hash/maphash"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// emitted remembers the ids that were exported, up to a limit; the oldest are evicted first. All streams ask it for each span
// and record, so where the limit is large they are kept in parts with a lock each: with one lock, streams on two cores
// wait for each other, and the core of one that waits goes to another, whose memories are in no cache. Marks are hashes,
// so all parts get as many, and each forgets its oldest.
type emitted struct {
	seed  maphash.Seed
	parts []emittedPart // a power of two many
}

type emittedPart struct {
	mu sync.Mutex
	marks
	_ [64]byte // a cache line between two parts, so that taking the one lock does not slow down taking the next
}

const (
	partBits = 6
	// leastPart is how many marks a part must be allowed for there to be more than one: a limit of few is kept exactly.
	leastPart = 64
)

func newEmitted(limit int) *emitted {
	n := 1
	if limit >= leastPart<<partBits {
		n = 1 << partBits
	}
	e := &emitted{seed: maphash.MakeSeed(), parts: make([]emittedPart, n)}
	for i := range e.parts {
		e.parts[i].limit = (limit + n - 1) / n
	}
	return e
}

// part is where a mark stands. It goes by the highest bits, since the table of a part goes by the lowest.
func (e *emitted) part(mark uint64) *emittedPart {
	return &e.parts[mark>>(64-partBits)&uint64(len(e.parts)-1)]
}

// first enters a mark and reports whether it is new.
func (e *emitted) first(mark uint64) bool {
	p := e.part(mark)
	p.mu.Lock()
	defer p.mu.Unlock()
	isNew, _ := p.add(mark)
	return isNew
}

// has reports whether a mark was entered and is not evicted.
func (e *emitted) has(mark uint64) bool {
	p := e.part(mark)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.marks.has(mark)
}

// spanMark mixes the ids, which are hashes already. A span id alone would do, but for two traces of one pipeline each.
func spanMark(trace pcommon.TraceID, span pcommon.SpanID) uint64 {
	return binary.BigEndian.Uint64(span[:]) ^ binary.BigEndian.Uint64(trace[:8])*0x9e3779b97f4a7c15
}

// recordMark hashes what a record's uid is the hash of, at a fifth of the cost of the uid. Marks live no longer than the
// process, and the seed, which is of this process alone, keeps an agent from writing two records that meet in one.
func (e *emitted) recordMark(parts []byte) uint64 { return maphash.Bytes(e.seed, parts) }
