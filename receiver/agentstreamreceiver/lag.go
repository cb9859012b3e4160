package agentstreamreceiver

import (
	"os"
	"sync"
	"time"
)

// lag is how many bytes of files have not been accepted yet, by provider.
//
// The source tells it of a file when it reads it. While a consumer refuses it reads little or nothing, and that is when
// the lag matters: then the sizes of the files are looked at from time to time.
type lag struct {
	mu      sync.Mutex
	streams map[string]lagging // by id
	totals  map[string]int64   // by provider
	looked  time.Time          // when the files were
	growing bool               // some were found to have grown
}

type lagging struct {
	provider string
	told     int64 // by the source
	found    int64 // by a look that came after; 0: there was none
}

func (l lagging) bytes() int64 { return max(l.told, l.found) }

// lookEvery is how often the files are looked at while a consumer refuses, or with each try if that is more often.
const lookEvery = 5 * time.Second

// set notes how far a stream is behind (negative: as before) and gives the totals that changed, by provider.
func (l *lag) set(id, provider string, bytes int64) map[string]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.streams[id]
	if bytes >= 0 {
		now.told, now.found = bytes, 0
	}
	return l.putLocked(id, provider, now, map[string]int64{})
}

// find notes how far streams are behind that the source has not told of lately.
func (l *lag) find(behind map[string]lagging) map[string]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	changed := map[string]int64{}
	for id, one := range behind {
		now := l.streams[id]
		now.found = one.found
		l.putLocked(id, one.provider, now, changed)
	}
	l.growing = true
	return changed
}

// forget lets go of what was found: the source reads on, and tells.
func (l *lag) forget() map[string]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	changed := map[string]int64{}
	if !l.growing {
		return changed
	}
	l.growing = false
	for id, now := range l.streams {
		now.found = 0
		l.putLocked(id, now.provider, now, changed)
	}
	return changed
}

// putLocked notes a stream, and the totals that change by it.
func (l *lag) putLocked(id, provider string, now lagging, changed map[string]int64) map[string]int64 {
	if l.streams == nil {
		l.streams, l.totals = map[string]lagging{}, map[string]int64{}
	}
	before, known := l.streams[id]
	if now.provider = provider; provider == "" {
		now.provider = before.provider
	}
	if now.bytes() == 0 {
		delete(l.streams, id)
	} else {
		l.streams[id] = now
	}
	if now.provider == before.provider && now.bytes() == before.bytes() {
		return changed
	}
	if known {
		l.totals[before.provider] -= before.bytes()
		changed[before.provider] = l.totals[before.provider]
	}
	l.totals[now.provider] += now.bytes()
	changed[now.provider] = l.totals[now.provider]
	return changed
}

// due tells whether it is time to look at the files.
func (l *lag) due(now time.Time, every time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.looked) < every {
		return false
	}
	l.looked = now
	return true
}

// lookAtLag looks, while a consumer refuses, how far the files have grown.
func (r *agentStream) lookAtLag() {
	if !r.meter.lag.due(time.Now(), min(lookEvery, r.config.Retry.MaxInterval)) {
		return
	}
	behind := map[string]lagging{}
	for _, s := range r.streams.every() {
		if !s.grows.Load() {
			continue
		}
		if info, err := os.Stat(s.source.path); err == nil && info.Size() > s.accepted.Load() {
			name, _ := s.provider.Load().(string)
			behind[s.source.id] = lagging{provider: name, found: info.Size() - s.accepted.Load()}
		}
	}
	r.meter.recordLag(r.meter.lag.find(behind))
}
