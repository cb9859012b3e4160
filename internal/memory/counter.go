package memory

// Counter counts how often ids came, so that the same id twice gives two span ids. It remembers the newest ids, up to
// a limit; the zero value knows none. Most streams see one or a few ids of a kind, so the first needs no memory of its own.
//
// It keeps hashes and no ids, which would hold on to the memory of the lines that they stood in. That two ids of those
// that are remembered meet is less likely than one in 10^9, and the seed, which is of this process alone, keeps anyone
// from writing a stream in which two do.
type Counter struct {
	only uint64      // the one id that came so far; 0 is none
	many *recurrence // nil before the second
}

// recurrence is what came more often, or beside others.
type recurrence struct {
	ids   Table[struct{}]
	again map[uint64]int // how often those came that came before; few do
}

// Next enters the hash of an id, and returns how often it came before, and whether another was evicted for it.
func (o *Counter) Next(mark uint64, limit int) (n int, forgot bool) {
	mark = nonZero(mark)
	if o.many == nil {
		if o.only == 0 {
			o.only = mark
			return 0, false
		}
		o.many = &recurrence{ids: NewTable[struct{}](limit)}
		o.many.ids.Add(o.only)
	}
	oldest, full := o.many.ids.Due()
	if o.many.ids.Add(mark) {
		if full {
			delete(o.many.again, oldest)
		}
		return 0, full
	}
	if o.many.again == nil {
		o.many.again = map[uint64]int{}
	}
	o.many.again[mark]++
	return o.many.again[mark], false
}

// Before is what Next would return, and enters nothing.
func (o *Counter) Before(mark uint64) int {
	mark = nonZero(mark)
	switch {
	case o.many == nil && mark == o.only:
		return 1
	case o.many == nil || o.many.ids.Find(mark) == nil:
		return 0
	default:
		return o.many.again[mark] + 1
	}
}

// nonZero keeps a mark from looking like none.
func nonZero(mark uint64) uint64 { return max(mark, 1) }
