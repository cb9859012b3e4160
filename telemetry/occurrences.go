package telemetry

import "hash/maphash"

// occurrences counts how often ids came, so that the same id twice gives two span ids. It remembers the newest ids, up to
// a limit; the zero value knows none. Most streams see one or a few ids of a kind, so the first needs no memory of its own.
//
// It keeps hashes and no ids, which would hold on to the memory of the lines that they stood in. That two ids of those
// that are remembered meet is less likely than one in 10^9, and the seed, which is of this process alone, keeps anyone
// from writing a stream in which two do.
type occurrences struct {
	only uint64      // the one id that came so far; 0 is none
	many *recurrence // nil before the second
}

// recurrence is what came more often, or beside others.
type recurrence struct {
	ids   marks
	again map[uint64]int // how often those came that came before; few do
}

// nth enters an id of this stream, and returns how often it came before.
func (s *seenIDs) nth(of *occurrences, id ...string) int {
	n, forgot := of.next(s.markOf(id), s.limit)
	if forgot {
		s.evicted++
	}
	return n
}

// cameBefore is what nth would return, and enters nothing.
func (s *seenIDs) cameBefore(of *occurrences, id ...string) int {
	mark := nonZero(s.markOf(id))
	switch {
	case of.many == nil && mark == of.only:
		return 1
	case of.many == nil || !of.many.ids.has(mark):
		return 0
	default:
		return of.many.again[mark] + 1
	}
}

// markOf hashes the parts of an id.
func (s *seenIDs) markOf(parts []string) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	for _, part := range parts {
		h.WriteString(part)
		h.WriteByte(0)
	}
	return h.Sum64()
}

// next enters the hash of an id, and returns how often it came before, and whether another was evicted for it.
func (o *occurrences) next(mark uint64, limit int) (n int, forgot bool) {
	mark = nonZero(mark)
	if o.many == nil {
		if o.only == 0 {
			o.only = mark
			return 0, false
		}
		o.many = &recurrence{ids: marks{limit: limit}}
		o.many.ids.add(o.only)
	}
	isNew, gone := o.many.ids.add(mark)
	if gone != 0 {
		delete(o.many.again, gone)
	}
	if isNew {
		return 0, gone != 0
	}
	if o.many.again == nil {
		o.many.again = map[uint64]int{}
	}
	o.many.again[mark]++
	return o.many.again[mark], false
}
