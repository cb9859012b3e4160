// Package dirty collects objects with a new state until their owner saves them.
package dirty

import "sync"

// Set is a set of dirty objects. It is safe for concurrent use.
type Set[T comparable] struct {
	mu     sync.Mutex
	all    map[T]struct{}
	signal chan struct{}
}

// New returns an empty set.
func New[T comparable]() *Set[T] {
	return &Set[T]{all: map[T]struct{}{}, signal: make(chan struct{}, 1)}
}

// Signal returns a channel that receives when there is something to take.
func (s *Set[T]) Signal() <-chan struct{} { return s.signal }

// Add marks one object dirty.
func (s *Set[T]) Add(one T) {
	s.mu.Lock()
	s.all[one] = struct{}{}
	s.mu.Unlock()
	select {
	case s.signal <- struct{}{}:
	default:
	}
}

// Take returns the dirty objects, in no particular order, and empties the set.
func (s *Set[T]) Take() []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]T, 0, len(s.all))
	for one := range s.all {
		list = append(list, one)
	}
	clear(s.all)
	return list
}
