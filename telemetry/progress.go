package telemetry

import (
	"time"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
)

// A live run is reported while it is active: one record at its start, with its model and agent, and one per
// ProgressInterval with the elapsed time. A session that is read afterwards has no such records.

// reportProgress writes the elapsed time of the run. Its records are numbered by the intervals since the run's start,
// so that none has the number of one exported before a restart. It reports whether the run has stalled.
func (s *Stream) reportProgress(into *batch, now time.Time) (stalled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.run
	if r == nil || r.Closed {
		return false
	}
	elapsed := max(clock.InstantOf(now).Sub(r.Begin.Clock), 0)
	last := s.moved
	if r.Ref != nil && r.Ref.Moved().After(last) { // its sub-agents in other streams are at work
		last = r.Ref.Moved()
	}
	if silent, after := now.Sub(last), s.registry.settings.StallAfter; after > 0 && silent >= after {
		s.reportStalled(into, elapsed, silent)
		return true
	}
	if s.registry.settings.ProgressInterval <= 0 {
		return false
	}
	left := max(s.settings.ExpectedDuration-elapsed, 0)
	number := int(elapsed / s.registry.settings.ProgressInterval)
	into.AddProgress(r.Resource, r.LiveRecord(s.registry.settings.Now(), otlp.EventNameProgress, number), elapsed, left)
	return false
}

// reportStalled reports once that a run has no new lines. The next line restarts its progress reports.
func (s *Stream) reportStalled(into *batch, elapsed, silent time.Duration) {
	r := s.run
	s.registry.timers.Stop(waitProgress, s)
	r.Watched = false
	into.AddStalled(r.Resource, r.LiveRecord(s.registry.settings.Now(), otlp.EventNameStalled, int(s.replay.lastOffset)), elapsed, silent)
}

// dueProgress returns the streams whose run had no progress record for an interval. Without progress records, it only
// checks them for a stall.
func (r *Registry) dueProgress(now time.Time) []*Stream {
	switch {
	case r.settings.ProgressInterval > 0:
		return r.timers.Due(waitProgress, now, r.settings.ProgressInterval, true)
	case r.settings.StallAfter > 0:
		return r.timers.Due(waitProgress, now, r.settings.StallAfter, true)
	default:
		return nil
	}
}
