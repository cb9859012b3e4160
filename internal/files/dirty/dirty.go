// Package dirty collects what has a new state until its owner comes to save it.
package dirty

import "sync"

// Set has those that are dirty. It is safe for use by many goroutines.
type Set[T comparable] struct {
	mu     sync.Mutex
	all    map[T]struct{}
	signal chan struct{}
}

// New makes an empty set.
func New[T comparable]() *Set[T] {
	return &Set[T]{all: map[T]struct{}{}, signal: make(chan struct{}, 1)}
}

// Signal is sent to when there is something to take.
func (s *Set[T]) Signal() <-chan struct{} { return s.signal }

// Add marks one dirty.
func (s *Set[T]) Add(one T) {
	s.mu.Lock()
	s.all[one] = struct{}{}
	s.mu.Unlock()
	select {
	case s.signal <- struct{}{}:
	default:
	}
}

// Take returns those that are dirty, in no order, and empties the set.
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
