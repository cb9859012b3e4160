package meter

import (
	"sync"
	"time"
)

// lag is how many bytes of streams are not acknowledged yet, by provider.
//
// The source reports the lag when it reads a file. While a consumer refuses, when the lag matters most, the source reads
// little or nothing, so the receiver stats the files from time to time.
type lag struct {
	mu       sync.Mutex
	streams  map[string]lagging // by ID
	totals   map[string]int64   // by provider
	lastStat time.Time          // of the files
	growing  bool               // some have grown
}

// Found is how many bytes of a stream are not acknowledged, according to the size of its file.
type Found struct {
	Provider string
	Bytes    int64
}

type lagging struct {
	provider string
	reported int64 // by the source
	found    int64 // by a later stat; 0: none
}

func (l lagging) bytes() int64 { return max(l.reported, l.found) }

// set updates the lag of a stream; negative: unchanged.
func (l *lag) set(id, provider string, bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.streams[id]
	if bytes >= 0 {
		now.reported, now.found = bytes, 0
	}
	l.putLocked(id, provider, now)
}

// find updates the lag of streams according to their size.
func (l *lag) find(behind map[string]Found) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, one := range behind {
		now := l.streams[id]
		now.found = one.Bytes
		l.putLocked(id, one.Provider, now)
	}
	l.growing = true
}

// clearFound removes what stats found, because the source reads and reports again.
func (l *lag) clearFound() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.growing {
		return
	}
	l.growing = false
	for id, now := range l.streams {
		now.found = 0
		l.putLocked(id, now.provider, now)
	}
}

func (l *lag) putLocked(id, provider string, now lagging) {
	if l.streams == nil {
		l.streams, l.totals = map[string]lagging{}, map[string]int64{}
	}
	before := l.streams[id]
	if now.provider = provider; provider == "" {
		now.provider = before.provider
	}
	if now.bytes() == 0 {
		delete(l.streams, id)
	} else {
		l.streams[id] = now
	}
	l.totals[before.provider] -= before.bytes()
	l.totals[now.provider] += now.bytes()
}

// observe calls f with the lag of each provider that ever had one; the name is empty while the provider is undecided.
func (l *lag) observe(f func(provider string, total int64)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for provider, total := range l.totals {
		f(provider, total)
	}
}

// due reports whether it is time to stat the files.
func (l *lag) due(now time.Time, every time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.lastStat) < every {
		return false
	}
	l.lastStat = now
	return true
}
