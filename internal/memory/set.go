package memory

import (
	"hash/maphash"
	"sync"
)

// Set remembers the ids that were exported, up to a limit; the oldest are evicted first. All streams ask it for each span
// and record, so where the limit is large they are kept in parts with a lock each: with one lock, streams on two cores
// wait for each other, and the core of one that waits goes to another, whose memories are in no cache. Marks are hashes,
// so all parts get as many, and each forgets its oldest.
type Set struct {
	seed  maphash.Seed
	parts []setPart // a power of two many
}

type setPart struct {
	mu  sync.Mutex
	ids Table[struct{}]
	_   [64]byte // a cache line between two parts, so that taking the one lock does not slow down taking the next
}

const (
	partBits = 6
	// leastPart is how many marks a part must be allowed for there to be more than one: a limit of few is kept exactly.
	leastPart = 64
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

// part is where a mark stands. It goes by the highest bits, since the table of a part goes by the lowest.
func (e *Set) part(mark uint64) *setPart {
	return &e.parts[mark>>(64-partBits)&uint64(len(e.parts)-1)]
}

// First enters a mark and reports whether it is new.
func (e *Set) First(mark uint64) bool {
	p := e.part(mark)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ids.Add(mark)
}

// Has reports whether a mark was entered and is not evicted.
func (e *Set) Has(mark uint64) bool {
	p := e.part(mark)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ids.Find(mark) != nil
}

// Mark hashes what a record's uid is the hash of, at a fifth of the cost of the uid. Marks live no longer than the
// process, and the seed, which is of this process alone, keeps an agent from writing two records that meet in one.
func (e *Set) Mark(parts []byte) uint64 { return maphash.Bytes(e.seed, parts) }
