package agentstreamreceiver

import (
	"sync"
)

// lag is how many bytes of files have not been accepted yet, by provider.
type lag struct {
	mu      sync.Mutex
	streams map[string]lagging // by id
	totals  map[string]int64   // by provider
}

type lagging struct {
	provider string
	bytes    int64
}

// set notes how far a stream is behind (negative: as before) and gives the totals that changed, by provider.
func (l *lag) set(id, provider string, bytes int64) map[string]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.streams == nil {
		l.streams, l.totals = map[string]lagging{}, map[string]int64{}
	}
	before, known := l.streams[id]
	if provider == "" {
		provider = before.provider
	}
	if bytes < 0 {
		bytes = before.bytes
	}
	now := lagging{provider, bytes}
	if now == before {
		return nil
	}
	changed := map[string]int64{}
	if known {
		l.totals[before.provider] -= before.bytes
		changed[before.provider] = l.totals[before.provider]
	}
	l.totals[provider] += bytes
	changed[provider] = l.totals[provider]
	if bytes == 0 {
		delete(l.streams, id)
	} else {
		l.streams[id] = now
	}
	return changed
}
