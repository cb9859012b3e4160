package ledger

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
)

// RunningKey is whose running total it is: a model's in a session, or without one in a process.
type RunningKey struct{ Provider, Session, Model string }

// Running are the running totals that were reported last. The zero value has room for none; see [NewRunning].
type Running struct {
	last memory.Map[RunningKey, events.Usage]
}

// NewRunning has room for as many totals as limit allows. The oldest are evicted.
func NewRunning(limit int) Running {
	return Running{last: memory.Map[RunningKey, events.Usage]{Limit: limit}}
}

// Swap enters a total and returns the one before, if there was one, and whether another was evicted for it.
func (r *Running) Swap(key RunningKey, now *events.Usage) (before events.Usage, known, evicted bool) {
	if before, known = r.last.Get(key); !known {
		key = RunningKey{strings.Clone(key.Provider), strings.Clone(key.Session), strings.Clone(key.Model)} // of a line
	}
	return before, known, r.last.Set(key, *now)
}
