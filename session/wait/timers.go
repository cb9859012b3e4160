package wait

import (
	"sync"
	"time"
)

// Timers has since when who waits for a time to pass. One who waits for several things, of the kinds K, waits for each of them by
// itself. The zero value is empty. It is safe for use by many goroutines.
type Timers[K, S comparable] struct {
	mu    sync.Mutex
	since map[K]map[S]time.Time
}

// Start has one wait from now on, also one that waits already.
func (t *Timers[K, S]) Start(kind K, s S, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.since == nil {
		t.since = map[K]map[S]time.Time{}
	}
	if t.since[kind] == nil {
		t.since[kind] = map[S]time.Time{}
	}
	t.since[kind][s] = now
}

// Stop has one wait no more.
func (t *Timers[K, S]) Stop(kind K, s S) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.since[kind], s)
}

// Due are those that have waited for so long. With again they wait anew from now on: by the same lock, so that one that is
// stopped meanwhile stays so.
func (t *Timers[K, S]) Due(kind K, now time.Time, wait time.Duration, again bool) (due []S) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for s, since := range t.since[kind] {
		if now.Sub(since) < wait {
			continue
		}
		due = append(due, s)
		if again {
			t.since[kind][s] = now
		}
	}
	return due
}

// All are those that wait, however long.
func (t *Timers[K, S]) All(kind K) (all []S) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for s := range t.since[kind] {
		all = append(all, s)
	}
	return all
}
