package memory

// Counter counts how often each ID occurred, so that two occurrences of one ID get two span IDs. It remembers the
// newest IDs up to a limit. The zero value is empty. Most streams see one or a few IDs of a kind, so the first one
// needs no allocation.
//
// It stores hashes, because IDs would keep the memory of their lines alive. The probability that two remembered IDs
// collide is below one in 10^9. The seed is private to the process, so nobody can craft a stream whose IDs collide.
type Counter struct {
	only uint64      // the first ID; 0 if there is none
	many *recurrence // nil until the second ID occurs
}

// recurrence holds the IDs once a stream has more than one occurrence.
type recurrence struct {
	ids   Table[struct{}]
	again map[uint64]int // counts the repeats of those IDs that occurred before; few do
}

// Next records the hash of an ID. It returns how often the ID occurred before and whether the oldest one was evicted.
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

// Before returns what Next would return, without recording anything.
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

// nonZero maps 0 to 1, because 0 means no mark.
func nonZero(mark uint64) uint64 { return max(mark, 1) }
