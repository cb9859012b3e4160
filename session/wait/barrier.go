package wait

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// Barrier makes waiters wait for a set of names, all at once. The zero value blocks no waiter. A Barrier is safe for concurrent use.
type Barrier[S comparable] struct {
	mu      sync.Mutex
	names   map[string]struct{}
	waiting map[S]struct{}
	until   time.Time // when missing names no longer block
}

// Expect adds a name. All names are given up at until.
func (b *Barrier[S]) Expect(name string, until time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.names == nil {
		b.names, b.waiting = map[string]struct{}{}, map[S]struct{}{}
	}
	b.names[name], b.until = struct{}{}, until
}

// Blocks reports whether a waiter has to wait. One with an expected name does not.
func (b *Barrier[S]) Blocks(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.blocks(name)
}

func (b *Barrier[S]) blocks(name string) bool {
	_, itself := b.names[name]
	return !itself && len(b.names) > 0
}

// Await makes a waiter wait if it has to, and reports whether it has.
func (b *Barrier[S]) Await(name string, s S) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.blocks(name) {
		return false
	}
	b.waiting[s] = struct{}{}
	return true
}

// Done removes a name. It returns the waiters if it was the last one.
func (b *Barrier[S]) Done(name string) []S {
	b.mu.Lock()
	defer b.mu.Unlock()
	if delete(b.names, name); len(b.names) > 0 {
		return nil
	}
	return b.take()
}

// Expire gives all names up when their time has come, and returns the waiters.
func (b *Barrier[S]) Expire(now time.Time) []S {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.names) == 0 || now.Before(b.until) {
		return nil
	}
	clear(b.names)
	return b.take()
}

func (b *Barrier[S]) take() []S {
	all := slices.Collect(maps.Keys(b.waiting))
	clear(b.waiting)
	return all
}

// Remove removes a waiter.
func (b *Barrier[S]) Remove(s S) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.waiting, s)
}
