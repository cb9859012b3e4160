package telemetry

import (
	"slices"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/link"
)

// A transcript has no line for the end of a run. The run is over when its last event shows the end of the turn
// ([events.Sign]), nothing below it is active, and no line follows for [Settings.EndGrace]: by the system clock while
// the stream is followed, else by the times of its lines. A file whose last change is older than
// [StreamSettings.IdleGap] ends at its last line. If more lines of the same prompt follow after all, they form another
// run with a link to the first.

// showsEnd reports whether an open run has shown its end and has no open call. It is false for a nil run.
func (r *run) showsEnd() bool {
	return r != nil && !r.closed && !r.shape.start && r.signs.ShowEnd() && len(r.calls.open) == 0
}

// isAside reports whether an event is not work of the current run, which has shown its end.
func (r *run) isAside(a *agent, ev *events.DisplayEvent) bool {
	return a == r.top && ev.Sign == (events.Sign{}) && r.showsEnd() && byProgram(ev)
}

// byProgram reports whether the program writes an event by itself or in the user's name, such as a compaction. It is no work.
func byProgram(ev *events.DisplayEvent) bool {
	return ev.Kind == events.KindNotice || ev.Kind == events.KindPrompt && ev.Synthetic
}

// turnOver reports whether the current run has shown its end and nothing below it is active. A sub-agent in a separate
// stream ends with its call.
func (s *Stream) turnOver() bool {
	if !s.run.showsEnd() {
		return false
	}
	r := s.run
	if r.isChild() && !s.registry.links.Lookup(r.childKey).Background {
		return false
	}
	return !slices.ContainsFunc(s.open.agents, func(a *agent) bool { return a.run == r }) &&
		!slices.ContainsFunc(s.links.announced, s.worksElsewhere)
}

// worksElsewhere reports whether a sub-agent in a separate stream continues after its call.
func (s *Stream) worksElsewhere(key link.Key) bool {
	k := s.registry.links.Lookup(key)
	return k.Background && !k.Ended && !k.Done
}

// awaitEnd starts the timer for the end of a run that has shown it, or stops the timer if the run continues.
func (s *Stream) awaitEnd() {
	if s.replay.active {
		return
	}
	if s.registry.settings.Eager && s.idle && s.isComplete() {
		s.endTurn()
	}
	if len(s.pending) == 0 && s.run.showsEnd() {
		s.registry.startTimer(waitEnd, s)
	} else {
		s.registry.timers.Stop(waitEnd, s)
	}
}

// isComplete reports whether nothing follows what a file shows as over.
func (s *Stream) isComplete() bool {
	gap := s.settings.IdleGap
	if s.registry.settings.Eager {
		gap = s.registry.settings.EndGrace
	}
	return s.isOld(gap)
}

// endTurn closes the run that has shown its end, after enough time without a line, unless something below it is active.
func (s *Stream) endTurn() {
	if s.replay.active || len(s.pending) > 0 || !s.turnOver() {
		return
	}
	s.recordRunStep(s.run.key, StepTurn, s.sink)
	s.closeRun(s.run, otlp.CloseReasonTimeout)
}

// gapBound is the largest gap between two lines before the current run counts as over; 0 means no limit.
func (s *Stream) gapBound() time.Duration {
	bound := s.settings.IdleGap
	if grace := s.registry.settings.EndGrace; grace > 0 && (bound <= 0 || grace < bound) && s.turnOver() {
		return grace
	}
	return bound
}

// closeGap closes what a gap ends: the run that has shown its end, or everything open if the stream was abandoned.
func (s *Stream) closeGap() {
	if s.turnOver() {
		s.closeRun(s.run, otlp.CloseReasonTimeout)
	} else {
		s.closeOpen(otlp.CloseReasonTimeout)
	}
}

// closeOld closes what an old file left open. A sub-agent's file is closed by its parent, as long as that may come.
func (s *Stream) closeOld() {
	if !s.isOld(s.settings.IdleGap) || s.awaitsAccount() || !s.links.child.IsZero() {
		return
	}
	if s.run == nil && len(s.pending) == 0 || s.run != nil && s.run.closed && len(s.pending) == 0 && len(s.open.agents) == 0 && len(s.open.lingering) == 0 && s.process.unwritten == nil {
		return
	}
	if s.release(releaseReady); s.childOf(s.pending) != (link.Key{}) {
		return
	}
	if s.awaitsAgents() {
		s.registry.startTimer(waitAgents, s)
		return
	}
	s.recordStep(StepOld, s.sink)
	s.closeAtEnd(otlp.CloseReasonTimeout)
}

// expireOld closes what an old file left open, unless a sub-agent's file that was read meanwhile shows that it is at work.
func (s *Stream) expireOld(now time.Time) {
	if !s.isOld(s.settings.IdleGap) || !s.idle || s.run.closed {
		s.registry.timers.Stop(waitAgents, s)
		return
	}
	if !s.registry.backlog.quietSince(now.Add(-s.registry.settings.linkWait())) || now.Sub(s.agentsMoved()) < s.settings.IdleGap {
		return
	}
	s.registry.timers.Stop(waitAgents, s)
	s.recordStep(StepOld, s.sink)
	s.closeAtEnd(otlp.CloseReasonTimeout)
}

// lastReason returns the reason to close for at the end of the stream: an old file is abandoned, and only waited for sub-agents.
func (s *Stream) lastReason(reason otlp.CloseReason) otlp.CloseReason {
	if s.isOld(s.settings.IdleGap) && !s.awaitsAccount() && s.links.child.IsZero() {
		return otlp.CloseReasonTimeout
	}
	return reason
}

// closeAtEnd closes everything open at the end of a stream. The files of its sub-agents may not have been read yet.
func (s *Stream) closeAtEnd(reason otlp.CloseReason) {
	announced := s.links.announced
	s.close(reason)
	s.links.announced = announced
}

// continuation is a run that another may continue, and whether it does.
type continuation struct {
	of    *link.Run // the closed run before it in its session, or the one which that continued; nil if there is none
	shown bool
}

// continuedBy returns the continuation of a run that begins with ev: it continues the closed run before it if it begins
// without a prompt, turn or session, or if its end shows this (events.End.Continues).
func (r *run) continuedBy(ev *events.DisplayEvent, session string) continuation {
	if r == nil || !r.closed || r.sessionID != session || !r.exports() {
		return continuation{}
	}
	c := continuation{of: r.ref}
	if r.continues.shown {
		c = r.continues
	}
	switch ev.Kind {
	case events.KindPrompt, events.KindSessionStarted, events.KindTurnStarted, events.KindSessionEnded:
		c.shown = false
	default:
		c.shown = true
	}
	return c
}
