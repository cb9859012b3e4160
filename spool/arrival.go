package spool

import (
	"sort"
	"time"
)

// maxArrivals is how many steps of growth are remembered.
const maxArrivals = 4096

// arrival says that the file had grown to size at a poll.
type arrival struct {
	size int64
	at   time.Time
}

// arrivals are ordered by size and time.
type arrivals struct{ steps []arrival }

// add notes a step. When there are too many, of two neighbours only the later is kept: no byte is reported earlier than
// they came.
func (a *arrivals) add(size int64, at time.Time) {
	if len(a.steps) >= maxArrivals {
		kept := a.steps[:0]
		for i := 1; i < len(a.steps); i += 2 {
			kept = append(kept, a.steps[i])
		}
		a.steps = kept
	}
	a.steps = append(a.steps, arrival{size, at})
}

// of returns when the byte at offset had arrived; zero if that is not known.
func (a *arrivals) of(offset int64) time.Time {
	i := sort.Search(len(a.steps), func(i int) bool { return a.steps[i].size > offset })
	if i == len(a.steps) {
		return time.Time{}
	}
	return a.steps[i].at
}
