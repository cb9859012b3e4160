package telemetry

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/outcome"
)

// Nothing shows that an agent was killed, or left alone, but that nothing comes any more. A stream that is followed is
// closed when nothing came for a while; one that is read afterwards has a gap there between the times of its lines. What
// is open is closed in both cases, the same spans with the same times, and what comes behind the gap is the same too. So a
// stream gives the same whenever it is read. Lines that are written while the stream is followed have no gap before them:
// there the clock has judged, and what it did is kept ([StepClose]), as is which lines they are ([StreamState.Lived]).

// beforeGap is the part of waiting that stands before its first gap, and whether there is one: then no more of it comes.
func (s *Stream) beforeGap(waiting []pendingEvent) (part []pendingEvent, over bool) {
	if s.settings.IdleGap <= 0 {
		return waiting, false
	}
	last := clock.Moment{}
	for i := range waiting {
		at := waiting[i].at
		if !at.FromLine() {
			continue
		}
		if last.Known() && !at.Lived && at.At.Sub(last.At) >= s.settings.IdleGap {
			return waiting[:i], true
		}
		last = clock.Later(last, at)
	}
	return waiting, false
}

// passed notes the time of an event that is applied.
func (s *Stream) passed(at clock.Moment) {
	s.clock.Passed(at)
	s.replay.lastReplayed = s.suppressed
}

// closeOnIdleGap closes what was left before the time at of an event whose line is replayed or not. What that gives was
// exported with that line, so it is not again if the line is replayed; unless what stands before it is still pending.
func (s *Stream) closeOnIdleGap(at clock.Moment, silentLine bool) {
	if !s.clock.GapBefore(at, s.gapBound()) {
		return
	}
	suppressed := s.suppressed
	s.suppressed = silentLine && (s.replay.lastReplayed || !s.replay.restored)
	s.closeGap()
	s.suppressed = suppressed
	s.clock.Jump(at)
}

// closeOpen closes all that is open, for reason.
func (s *Stream) closeOpen(reason otlp.CloseReason) {
	if s.run != nil && !s.run.closed {
		s.closeRun(s.run, s.endOf(s.run, reason))
	}
	for _, a := range s.open.innermostFirst() {
		s.closeAgent(a, outcome.Closed(reason))
	}
	s.closeLingering(reason)
	s.links.announced = nil
	s.writeUnwritten()
}

// endOf is why a run closes whose stream ends for reason.
func (s *Stream) endOf(r *run, reason otlp.CloseReason) otlp.CloseReason {
	if len(r.calls.open) > 0 {
		return reason
	}
	if r.isChild() {
		if k := s.linkNow(r); k.Ended {
			return k.End.Reason // its call is over, only the link was waited for
		}
	}
	return reason
}

// countLate counts what a sub-agent does after its span is closed.
func (s *Stream) countLate(a *agent, ev *events.DisplayEvent) {
	if a.closed && (a.call != nil || a.run.subAgent) && !(ev.Kind == events.KindTurnDone || ev.Kind == events.KindSessionEnded) {
		s.count().LateAgents++
	}
}
