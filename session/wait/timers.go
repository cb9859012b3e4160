package wait

import (
	"sync"
	"sync/atomic"
	"time"
)

// Timers records when each waiter started to wait, separately for each kind K. The zero value is empty. Timers are safe
// for concurrent use.
type Timers[K, S comparable] struct {
	mu    sync.Mutex
	since map[K]map[S]time.Time
}

// Start starts or restarts the timer of s.
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

// Runs reports whether the timer of s runs.
func (t *Timers[K, S]) Runs(kind K, s S) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, runs := t.since[kind][s]
	return runs
}

// Stop stops the timer of s.
func (t *Timers[K, S]) Stop(kind K, s S) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.since[kind], s)
}

// Due returns the waiters whose timers have run for at least wait. If again is true, it restarts these timers under the
// same lock, so that a timer stopped meanwhile stays stopped.
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

// All returns all waiters of a kind.
func (t *Timers[K, S]) All(kind K) (all []S) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for s := range t.since[kind] {
		all = append(all, s)
	}
	return all
}

// Latest is the latest time of something that many do concurrently. The zero value is long ago. It is safe for concurrent use.
type Latest struct{ nano atomic.Int64 }

// latestStep is the resolution of a [Latest]: those that report to it need not write it each time.
const latestStep = 100 * time.Millisecond

// Set records a time.
func (l *Latest) Set(now time.Time) {
	if nano := now.UnixNano(); nano-l.nano.Load() >= int64(latestStep) {
		l.nano.Store(nano)
	}
}

// Before reports whether there was nothing after a time.
func (l *Latest) Before(t time.Time) bool { return l.nano.Load() <= t.UnixNano() }
