package telemetry

import "time"

// streamTimes are streams that something of is due later, and since when it has been waited for. The registry's lock guards
// them.
type streamTimes map[*Stream]time.Time

// await has s wait from now on.
func (r *Registry) await(times streamTimes, s *Stream) {
	now := r.settings.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	times[s] = now
}

// release has s wait no more.
func (r *Registry) release(times streamTimes, s *Stream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(times, s)
}

// due are the streams that have waited for so long. With again they wait anew from now on: by the same lock, so that one
// that is released meanwhile stays so.
func (r *Registry) due(times streamTimes, now time.Time, wait time.Duration, again bool) []*Stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	var due []*Stream
	for s, since := range times {
		if now.Sub(since) < wait {
			continue
		}
		due = append(due, s)
		if again {
			times[s] = now
		}
	}
	return due
}
