package telemetry

import "hash/maphash"

// occurrences counts how often ids came, so that the same id twice gives two span ids. It remembers the newest ids, up to
// a limit.
//
// It keeps hashes and no ids, which would hold on to the memory of the lines that they stood in. That two ids of those
// that are remembered meet is less likely than one in 10^9, and the seed, which is of this process alone, keeps anyone
// from writing a stream in which two do.
type occurrences struct {
	ids   marks
	again map[uint64]int // how often those came that came before; few do
}

func newOccurrences(limit int) occurrences { return occurrences{ids: marks{limit: limit}} }

// nth enters an id of this stream, and returns how often it came before.
func (s *Stream) nth(of *occurrences, id ...string) int {
	return of.next(s.markOf(id), &s.counts.ForgottenIDs)
}

// cameBefore is what nth would return, and enters nothing.
func (s *Stream) cameBefore(of *occurrences, id ...string) int {
	mark := nonZero(s.markOf(id))
	if !of.ids.has(mark) {
		return 0
	}
	return of.again[mark] + 1
}

// markOf hashes the parts of an id.
func (s *Stream) markOf(parts []string) uint64 {
	var h maphash.Hash
	h.SetSeed(s.registry.seed)
	for _, part := range parts {
		h.WriteString(part)
		h.WriteByte(0)
	}
	return h.Sum64()
}

// next enters the hash of an id, and returns how often it came before.
func (o *occurrences) next(mark uint64, forgotten *int) int {
	mark = nonZero(mark)
	isNew, gone := o.ids.add(mark)
	if gone != 0 {
		delete(o.again, gone)
		*forgotten++
	}
	if isNew {
		return 0
	}
	if o.again == nil {
		o.again = map[uint64]int{}
	}
	o.again[mark]++
	return o.again[mark]
}
