package agentrenderexporter

import "hash/maphash"

// recentRecords remembers the last records by hashes of their owners and uids, so that records with the same uid from
// different pipelines, steps or runs do not hide each other. A hash has 64 bits: with the default limit of 16384, the
// probability that a new record is mistaken for an old one is below 1e-15.
type recentRecords struct {
	seed maphash.Seed
	ring []uint64 // oldest overwritten first
	next int
	full bool
	seen map[uint64]struct{}
}

func newRecentRecords(limit int) *recentRecords {
	return &recentRecords{seed: maphash.MakeSeed(), ring: make([]uint64, limit), seen: make(map[uint64]struct{})}
}

// reserve makes room for the records of one batch, so that all of them are recognized if the batch is sent again.
func (r *recentRecords) reserve(batch int) {
	if len(r.ring) == 0 || batch <= len(r.ring) {
		return
	}
	oldest, count := 0, r.next
	if r.full {
		oldest, count = r.next, len(r.ring)
	}
	ring := make([]uint64, batch)
	n := copy(ring, r.ring[oldest:])
	copy(ring[n:], r.ring[:oldest])
	r.ring, r.next, r.full = ring, count, false
}

// add records the uid of an owner's record and reports whether it is new. A record without a uid always is.
func (r *recentRecords) add(owner, uid string) bool {
	if uid == "" || len(r.ring) == 0 {
		return true
	}
	h := maphash.Comparable(r.seed, [2]string{owner, uid})
	if _, ok := r.seen[h]; ok {
		return false
	}
	if r.full {
		delete(r.seen, r.ring[r.next])
	}
	r.seen[h] = struct{}{}
	r.ring[r.next] = h
	r.next++
	if r.next == len(r.ring) {
		r.next, r.full = 0, true
	}
	return true
}
