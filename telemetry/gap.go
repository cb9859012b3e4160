package telemetry

import (
	"slices"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/outcome"
)

// Only silence shows that an agent was killed or abandoned. A followed stream is closed after a silence, and a stream
// that is read afterwards has a gap between the times of its lines. In both cases the same open items are closed, with
// the same spans and times, and the lines after the gap have the same effect. So the result does not depend on when a
// stream is read. Lines that are written while the stream is followed have no gap before them: the system clock has
// decided, and its decisions are stored ([StepClose]), as are the ranges of these lines ([StreamState.Lived]).

// beforeGap returns the part of waiting before its first gap. over is true if there is a gap: then that part is complete.
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

// unaskedBeforeGap returns the number of events in waiting before the first prompt if a gap follows them. A header with a model may
// be older than its prompt too: it has the time at which the session was created.
func (s *Stream) unaskedBeforeGap(waiting pendingEvents) int {
	if !s.mayBeUnasked() {
		return 0
	}
	if n := waiting.unasked(); n > 0 && n < len(waiting) {
		if part, over := s.beforeGap(waiting[:n+1]); over {
			return len(part)
		}
	}
	return 0
}

// mayBeUnasked reports whether no run is open that pending events belong to.
func (s *Stream) mayBeUnasked() bool { return s.run == nil || s.run.closed }

// dropUnasked counts events that are no run, and keeps what they contain about the program.
func (s *Stream) dropUnasked(waiting []pendingEvent) {
	s.noteStart(waiting)
	s.count().EmptySessions++
}

// passed records the time of an applied event.
func (s *Stream) passed(at clock.Moment) {
	s.clock.Passed(at)
	s.replay.lastReplayed = s.suppressed
}

// closeOnIdleGap closes what was abandoned before the time at. silentLine is true if the event's line is replayed: the
// resulting output was exported with that line and is not exported again, unless what precedes it is still pending.
func (s *Stream) closeOnIdleGap(ev *events.DisplayEvent, at clock.Moment, silentLine bool) {
	at = s.place(at)
	if !s.clock.GapBefore(at, s.gapBound()) || s.awaitsAgents() && !s.opens(ev) && !byProgram(ev) {
		return
	}
	suppressed := s.suppressed
	s.suppressed = silentLine && (s.replay.lastReplayed || !s.replay.restored)
	s.closeGap()
	s.suppressed = suppressed
	s.clock.Jump(at)
}

// awaitsAgents reports whether the open run is silent because sub-agents work for it in other streams, so that it is not idle
// ([Stream.Moved]). A gap then shows that it was abandoned if the next line opens a run, or is by the program, as in a resumed session.
func (s *Stream) awaitsAgents() bool {
	return s.run != nil && !s.run.closed &&
		(slices.ContainsFunc(s.run.calls.open, (*call).startsAgent) || slices.ContainsFunc(s.links.announced, s.worksElsewhere))
}

// startsAgent reports whether the call starts a sub-agent that works in another stream, if it works at all.
func (c *call) startsAgent() bool { return c.AgentType != "" && c.child == nil }

// closeOpen closes everything open for reason.
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

// endOf returns the close reason of a run whose stream ends for reason.
func (s *Stream) endOf(r *run, reason otlp.CloseReason) otlp.CloseReason {
	if len(r.calls.open) > 0 {
		return reason
	}
	if r.isChild() {
		if k := s.linkNow(r); k.Ended {
			return k.End.Reason // its call is over, and only the link was pending
		}
	}
	return reason
}

// countLate counts the events of a sub-agent after its span was closed.
func (s *Stream) countLate(a *agent, ev *events.DisplayEvent) {
	if a.closed && (a.call != nil || a.run.subAgent) && !(ev.Kind == events.KindTurnDone || ev.Kind == events.KindSessionEnded) {
		s.count().LateAgents++
	}
}
