package telemetry

import "github.com/tailspan/tailspan/events"

// Nothing shows that an agent was killed, or left alone, but that nothing comes any more. A stream that is followed is
// closed when nothing came for a while; one that is read afterwards has a gap there between the times of its lines. What
// is open is closed in both cases, the same spans with the same times, and what comes behind the gap is the same too. So a
// stream gives the same whenever it is read. Lines that are written while the stream is followed have no gap before them:
// there the clock has judged, and what it did is kept ([StepClose]), as is which lines they are ([StreamState.Lived]).

// gapBefore reports whether at lies so far behind the last line time that the stream counts as left.
func (s *Stream) gapBefore(at moment) bool {
	bound := s.gapBound()
	return bound > 0 && at.fromLine() && !at.lived && s.lastApplied.known() && at.at.Sub(s.lastApplied.at) >= bound
}

// beforeGap is the part of waiting that stands before its first gap, and whether there is one: then no more of it comes.
func (s *Stream) beforeGap(waiting []pendingEvent) (part []pendingEvent, over bool) {
	if s.settings.IdleGap <= 0 {
		return waiting, false
	}
	last := moment{}
	for i := range waiting {
		at := waiting[i].at
		if !at.fromLine() {
			continue
		}
		if last.known() && !at.lived && at.at.Sub(last.at) >= s.settings.IdleGap {
			return waiting[:i], true
		}
		last = later(last, at)
	}
	return waiting, false
}

// passed notes the time of an event that is applied.
func (s *Stream) passed(at moment) {
	if at.fromLine() {
		s.lastApplied = later(s.lastApplied, at)
	}
	s.lastReplayed = s.suppressed
}

// closeOnIdleGap closes what was left before the time at of an event whose line is replayed or not. What that gives was
// exported with that line, so it is not again if the line is replayed; unless what stands before it is still pending.
func (s *Stream) closeOnIdleGap(at moment, silentLine bool) {
	if !s.gapBefore(at) {
		return
	}
	suppressed := s.suppressed
	s.suppressed = silentLine && (s.lastReplayed || !s.restored)
	s.closeGap()
	s.suppressed, s.lastApplied = suppressed, at
}

// closeOpen closes all that is open, for reason.
func (s *Stream) closeOpen(reason CloseReason) {
	if s.run != nil && !s.run.closed {
		s.closeRun(s.run, s.endOf(s.run, reason))
	}
	for _, a := range s.innermostFirst() {
		s.closeAgent(a, closedFor(reason))
	}
	s.closeLingering(reason)
	s.announced = nil
	s.writeUnwritten()
}

// endOf is why a run closes whose stream ends for reason.
func (s *Stream) endOf(r *run, reason CloseReason) CloseReason {
	if len(r.calls.open) > 0 {
		return reason
	}
	if r.childKey != (agentKey{}) {
		if k := s.linkNow(r); k.ended {
			return k.ending.reason // its call is over, only the link was waited for
		}
	}
	return reason
}

// fromLine reports whether the time is that of a line.
func (m moment) fromLine() bool { return m.source == TimeSourceLine || m.source == TimeSourceBatch }

// later is the later of two moments.
func later(a, b moment) moment {
	if b.at.After(a.at) {
		return b
	}
	return a
}

// Stretch is a run of lines: the offsets of the first and of the last.
type Stretch struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// noteLived notes whether a line was written while the stream was followed. For one that is replayed it is known.
func (s *Stream) noteLived(line Line) {
	before := s.followed
	s.followed = line.Live
	switch {
	case line.Replay:
		s.followed = s.times.wasLived(line.Offset)
	case line.Live:
		s.lineTimes().markLived(line.Offset, before)
	}
}

// countLate counts what a sub-agent does after its span is closed.
func (s *Stream) countLate(a *agent, ev *events.DisplayEvent) {
	if a.closed && (a.call != nil || a.run.subAgent) && !(ev.Kind == events.KindTurnDone || ev.Kind == events.KindSessionEnded) {
		s.count().LateAgents++
	}
}
