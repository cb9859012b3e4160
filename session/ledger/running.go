package ledger

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
)

// RunningKey identifies a running total: of a model in a session, or in a process if there is no session.
type RunningKey struct{ Provider, Session, Model string }

// Running holds the latest running totals. The zero value has no capacity; see [NewRunning].
type Running struct {
	last memory.Map[RunningKey, events.Usage]
}

// NewRunning returns a Running of at most limit totals. It evicts the oldest.
func NewRunning(limit int) Running {
	return Running{last: memory.Map[RunningKey, events.Usage]{Limit: limit}}
}

// Swap stores a total and returns the previous one, if known, and whether another was evicted.
func (r *Running) Swap(key RunningKey, now *events.Usage) (before events.Usage, known, evicted bool) {
	if before, known = r.last.Get(key); !known {
		key = RunningKey{strings.Clone(key.Provider), strings.Clone(key.Session), strings.Clone(key.Model)} // releases the line's memory
	}
	return before, known, r.last.Set(key, *now)
}
