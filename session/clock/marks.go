package clock

import "slices"

// Range is a sequence of lines: the offsets of the first and the last.
type Range struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Arrival is the time at which the line at Offset and those after it arrived, in Unix nanoseconds: a span of this
// stream and its parent may come from two processes and have to agree.
type Arrival struct {
	Offset int64 `json:"offset"`
	Time   int64 `json:"time_ns"`
}

// maxMarks bounds each list of marks; the oldest are dropped.
const maxMarks = 256

// marks record which lines were written while the stream was followed, and the arrivals of lines without a time. Most streams need none.
type marks struct {
	arrivals []Arrival // of lines without a time
	lived    []Range   // lines written while the stream was followed
}

// arrived returns the arrival of the replayed line at offset, if known.
func (t *marks) arrived(offset int64) (Instant, bool) {
	if t == nil {
		return 0, false
	}
	i, found := slices.BinarySearchFunc(t.arrivals, offset, func(a Arrival, at int64) int {
		switch {
		case a.Offset < at:
			return -1
		case a.Offset > at:
			return 1
		default:
			return 0
		}
	})
	if !found {
		i--
	}
	if i < 0 {
		return 0, false
	}
	return Instant(t.arrivals[i].Time), true
}

// markArrival records the arrival of a line without a time, once for lines that arrived together. If there are too many
// marks, it drops every second one.
func (t *marks) markArrival(offset int64, at Instant) {
	mark := Arrival{offset, int64(at)}
	if n := len(t.arrivals); n > 0 && t.arrivals[n-1].Time == mark.Time {
		return
	}
	t.arrivals = append(t.arrivals, mark)
	if len(t.arrivals) <= maxMarks {
		return
	}
	kept := t.arrivals[:0]
	for i, a := range t.arrivals {
		if i%2 == 0 {
			kept = append(kept, a)
		}
	}
	t.arrivals = kept
}

// wasLived reports whether the line at offset was written while the stream was followed.
func (t *marks) wasLived(offset int64) bool {
	return t != nil && slices.ContainsFunc(t.lived, func(l Range) bool { return l.From <= offset && offset <= l.To })
}

// markLived records that the line at offset was written while the stream was followed. before is true if the preceding line was, too.
func (t *marks) markLived(offset int64, before bool) {
	n := len(t.lived)
	if before && n > 0 {
		t.lived[n-1].To = offset
		return
	}
	t.lived = append(t.lived, Range{offset, offset})
	t.lived = t.lived[max(n+1-maxMarks, 0):]
}
