package agentstreamreceiver

import "sync"

// streams are the files at work, for what happens to them by time.
type streams struct {
	mu  sync.Mutex
	all map[*stream]struct{}
}

func (l *streams) add(s *stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[*stream]struct{}{}
	}
	l.all[s] = struct{}{}
}

func (l *streams) remove(s *stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.all, s)
}

// list gives the streams that time may do something to.
func (l *streams) list() []*stream {
	l.mu.Lock()
	defer l.mu.Unlock()
	var due []*stream
	for s := range l.all {
		if s.unfinished.Load() || s.restless.Load() {
			due = append(due, s)
		}
	}
	return due
}
