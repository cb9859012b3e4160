package spool

import (
	"sort"
	"time"
)

// maxArrivals is how many steps of growth are kept.
const maxArrivals = 4096

// arrival records that the file had grown to size at a poll.
type arrival struct {
	size int64
	at   time.Time
}

// arrivals are ordered by size and time.
type arrivals struct{ steps []arrival }

// add records a step. If there are too many, it keeps only the later one of each pair of neighbors, so that no byte is
// reported earlier than it arrived.
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

// of returns when the byte at offset had arrived, or zero if that is unknown.
func (a *arrivals) of(offset int64) time.Time {
	i := sort.Search(len(a.steps), func(i int) bool { return a.steps[i].size > offset })
	if i == len(a.steps) {
		return time.Time{}
	}
	return a.steps[i].at
}
