package telemetry

import "slices"

// lineTimes are when lines of a stream came that have no time. Most streams have no such lines.
type lineTimes struct {
	arrivals []ArrivalMark // of lines without a time
	lived    []Stretch     // the lines that were written while the stream was followed
}

// newLineTimes are those of a state; nil if it has none.
func newLineTimes(state *StreamState) *lineTimes {
	if len(state.Arrivals)+len(state.Lived) == 0 {
		return nil
	}
	return &lineTimes{slices.Clone(state.Arrivals), slices.Clone(state.Lived)}
}

// keep puts them into a state.
func (t *lineTimes) keep(state *StreamState) {
	if t != nil {
		state.Arrivals, state.Lived = slices.Clone(t.arrivals), slices.Clone(t.lived)
	}
}

// lineTimes are those of the stream, to add to.
func (s *Stream) lineTimes() *lineTimes {
	if s.times == nil {
		s.times = new(lineTimes)
	}
	return s.times
}

// arrived is when the replayed line at offset came, if that is known.
func (t *lineTimes) arrived(offset int64) (ArrivalMark, bool) {
	if t == nil {
		return ArrivalMark{}, false
	}
	i, found := slices.BinarySearchFunc(t.arrivals, offset, func(a ArrivalMark, at int64) int {
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
		return ArrivalMark{}, false
	}
	return t.arrivals[i], true
}

// markArrival notes when a line came that has no time, once for lines that came together. When there are too many
// marks, every second one goes.
func (t *lineTimes) markArrival(line Line) {
	mark := ArrivalMark{line.Offset, line.Arrival.UnixNano()}
	if n := len(t.arrivals); n > 0 && t.arrivals[n-1].Time == mark.Time {
		return
	}
	t.arrivals = append(t.arrivals, mark)
	if len(t.arrivals) <= maxState {
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
func (t *lineTimes) wasLived(offset int64) bool {
	return t != nil && slices.ContainsFunc(t.lived, func(l Stretch) bool { return l.From <= offset && offset <= l.To })
}

// markLived notes that the line at offset was written while the stream was followed, as was the one before it, or not.
func (t *lineTimes) markLived(offset int64, before bool) {
	n := len(t.lived)
	if before && n > 0 {
		t.lived[n-1].To = offset
		return
	}
	t.lived = append(t.lived, Stretch{offset, offset})
	t.lived = t.lived[max(n+1-maxState, 0):]
}
