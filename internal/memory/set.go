package memory

import (
	"hash/maphash"
	"sync"
)

// Set remembers the exported IDs up to a limit and evicts the oldest. All streams query it for each span and record, so
// a large Set is split into parts with a lock each: with one lock, streams on two cores block each other, and a
// blocked stream resumes on a core with cold caches. Marks are hashes, so the parts fill evenly, and each evicts its
// oldest mark.
type Set struct {
	seed  maphash.Seed
	parts []setPart // their number is a power of two
}

type setPart struct {
	mu  sync.Mutex
	ids Table[struct{}]
	_   [64]byte // a cache line, so that two locks do not share one
}

const (
	partBits = 6
	// leastPart is the smallest limit of a part when there are several: a small limit is enforced exactly.
	leastPart = 64
	// reserveAt is the number of marks from which a part has its full size: a process that exports so much soon exports more, and
	// growing in steps copies the marks, makes garbage, and keeps the heap so small that it is collected often.
	reserveAt = 512
)

func NewSet(limit int) *Set {
	n := 1
	if limit >= leastPart<<partBits {
		n = 1 << partBits
	}
	e := &Set{seed: maphash.MakeSeed(), parts: make([]setPart, n)}
	for i := range e.parts {
		e.parts[i].ids = NewTable[struct{}]((limit + n - 1) / n)
	}
	return e
}

// part returns the part of a mark. It uses the highest bits, because the table of a part uses the lowest.
func (e *Set) part(mark uint64) *setPart {
	return &e.parts[mark>>(64-partBits)&uint64(len(e.parts)-1)]
}

// First adds a mark and reports whether it is new.
func (e *Set) First(mark uint64) bool {
	p := e.part(mark)
	p.mu.Lock()
	first := p.ids.Add(mark)
	if first && p.ids.Len() == reserveAt {
		p.ids.Reserve()
	}
	p.mu.Unlock()
	return first
}

// Has reports whether a mark was added and not evicted.
func (e *Set) Has(mark uint64) bool {
	p := e.part(mark)
	p.mu.Lock()
	known := p.ids.Find(mark) != nil
	p.mu.Unlock()
	return known
}

// Mark hashes the parts of a record's UID, at a fifth of the cost of the UID. Marks live no longer than the process.
// The seed is private to the process, so an agent cannot craft two records whose marks collide.
func (e *Set) Mark(parts []byte) uint64 { return maphash.Bytes(e.seed, parts) }
