package telemetry

import "github.com/tailspan/tailspan/events"

// sessionTotals remembers the last running total of each session and model, up to a limit; the oldest are forgotten.
type sessionTotals struct {
	limit int
	last  map[string]events.Usage
	order []string
}

func newSessionTotals(limit int) sessionTotals {
	return sessionTotals{limit: limit, last: map[string]events.Usage{}}
}

// swap enters a total and returns the one before, zero if there was none.
func (t *sessionTotals) swap(key string, now events.Usage) events.Usage {
	before, known := t.last[key]
	if !known {
		t.order = append(t.order, key)
		if len(t.order) > t.limit {
			delete(t.last, t.order[0])
			t.order = t.order[1:]
		}
	}
	t.last[key] = now
	return before
}
