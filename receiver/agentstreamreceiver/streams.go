package agentstreamreceiver

import (
	"maps"
	"slices"
	"sync"
)

// streams are the open streams.
type streams struct {
	mu  sync.Mutex
	all map[*stream]struct{}

	byID map[string]*stream
}

func (l *streams) add(s *stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all, l.byID = map[*stream]struct{}{}, map[string]*stream{}
	}
	l.all[s], l.byID[s.source.id] = struct{}{}, s
}

func (l *streams) remove(s *stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.all, s)
	delete(l.byID, s.source.id)
}

// provider returns the provider of an open stream, or an empty string if it is not open or not detected yet.
func (l *streams) provider(id string) string {
	l.mu.Lock()
	s := l.byID[id]
	l.mu.Unlock()
	if s == nil {
		return ""
	}
	return s.Provider()
}

// every returns all streams.
func (l *streams) every() []*stream {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Keys(l.all))
}

// list returns the streams that a timer may change.
func (l *streams) list() []*stream {
	l.mu.Lock()
	defer l.mu.Unlock()
	var due []*stream
	for s := range l.all {
		if s.activity.due() {
			due = append(due, s)
		}
	}
	return due
}
