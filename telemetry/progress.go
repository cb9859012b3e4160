package telemetry

import (
	"time"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
)

// What is watched live is reported while it goes on: a record when a run starts, with its model and agent, and one at each
// ProgressInterval with the time it has taken. Nothing of the kind is made of a session that is read afterwards.

// stepStarted writes the record of a run that began, if it is watched live and no second account.
func (s *Stream) stepStarted(r *run, waiting []pendingEvent) {
	if !s.watch() {
		return
	}
	model := ""
	for i := range waiting {
		if model = waiting[i].event.Model; model != "" {
			break
		}
	}
	s.sink.AddRunStarted(r.resource, r.liveRecord(s.registry.settings.Now(), otlp.EventNameStepStarted, 0), s.settings.Agent.ServiceName, model)
}

// watch has progress reported of the run at work, if that is watched live: from its start, or from the first line that was
// written while it was followed.
func (s *Stream) watch() bool {
	r := s.run
	if !s.live || r == nil || r.closed || r.standing != account.First || r.subAgent || r.watched {
		return false
	}
	r.watched = true
	s.registry.await(waitProgress, s)
	return true
}

// reportProgress reports how long the run has taken. Its records are numbered by the intervals since the run's start, so that
// none has the number of one that was exported before a restart. It reports whether the run has stalled.
func (s *Stream) reportProgress(into *batch, now time.Time) (stalled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.run
	if r == nil || r.closed {
		return false
	}
	elapsed := max(clock.InstantOf(now).Sub(r.begin.clock), 0)
	if silent, after := now.Sub(s.moved), s.registry.settings.StallAfter; after > 0 && silent >= after {
		s.reportStalled(into, elapsed, silent)
		return true
	}
	if s.registry.settings.ProgressInterval <= 0 {
		return false
	}
	left := max(s.settings.ExpectedDuration-elapsed, 0)
	number := int(elapsed / s.registry.settings.ProgressInterval)
	into.AddProgress(r.resource, r.liveRecord(s.registry.settings.Now(), otlp.EventNameProgress, number), elapsed, left)
	return false
}

// reportStalled reports once that a run goes without a line. The next line begins its progress anew.
func (s *Stream) reportStalled(into *batch, elapsed, silent time.Duration) {
	r := s.run
	s.registry.timers.Stop(waitProgress, s)
	r.watched = false
	into.AddStalled(r.resource, r.liveRecord(s.registry.settings.Now(), otlp.EventNameStalled, int(s.replay.lastOffset)), elapsed, silent)
}

// liveRecord is a record about the run at the present time.
func (r *run) liveRecord(now time.Time, name string, n int) *otlp.Record {
	uid := otlp.RecordUID(n, name, r.traceID.String(), r.top.spanID.String())
	of := recordAt(clock.Moment{At: clock.InstantOf(now), Source: clock.SourceArrival}, now, r.top.ref(), uid)
	of.Conversation, of.Agent = r.sessionID, r.top.name
	return &of
}

// dueProgress are the streams whose run had no progress record for an interval. Without progress they are only checked
// for a stall.
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
