package telemetry

import (
	"slices"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/link"
)

// A transcript has no line for the end of a run. Its run is over when its last event shows that the turn ended
// ([events.Sign]), nothing goes on below it, and no line follows for [Settings.EndGrace]: by the clock while the stream is
// followed, by the times of its lines where it is read afterwards. A file that was changed last longer ago than
// [StreamSettings.IdleGap] ends where it ends, since nothing more is to come. Lines of the same prompt that come all the same
// form a run of their own, with a link to the first.

// showsEnd reports whether a run is open and has shown its end, and has no open call. A nil run has not.
func (r *run) showsEnd() bool {
	return r != nil && !r.closed && !r.shape.start && r.signs.ShowEnd() && len(r.calls.open) == 0
}

// isAside reports whether an event is no work of the run at work, which has shown its end: what the program writes by
// itself or in the user's name, such as a compaction, does not make that run longer.
func (r *run) isAside(a *agent, ev *events.DisplayEvent) bool {
	if a != r.top || ev.Sign != (events.Sign{}) || !r.showsEnd() {
		return false
	}
	return ev.Kind == events.KindNotice || ev.Kind == events.KindPrompt && ev.Synthetic
}

// turnOver reports whether the run at work has shown its end and nothing goes on below it. A sub-agent in a stream of its own
// ends with its call.
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

// worksElsewhere reports whether a sub-agent in a stream of its own goes on after its call.
func (s *Stream) worksElsewhere(key link.Key) bool {
	k := s.registry.links.Lookup(key)
	return k.Background && !k.Ended && !k.Done
}

// awaitEnd begins the wait for the end of a run that has shown it, or ends that wait where the run goes on.
func (s *Stream) awaitEnd() {
	if s.replay.active {
		return
	}
	if len(s.pending) == 0 && s.run.showsEnd() {
		s.registry.await(waitEnd, s)
	} else {
		s.registry.timers.Stop(waitEnd, s)
	}
}

// endTurn closes the run that has shown its end and was followed by no line for long enough, once nothing goes on below it.
func (s *Stream) endTurn() {
	if s.replay.active || len(s.pending) > 0 || !s.turnOver() {
		return
	}
	s.doneWith(s.run.key, StepTurn, s.sink)
	s.closeRun(s.run, otlp.CloseReasonTimeout)
}

// gapBound is how far the next line may lie behind the last one before the run at work counts as over; 0: as far as it will.
func (s *Stream) gapBound() time.Duration {
	bound := s.settings.IdleGap
	if grace := s.registry.settings.EndGrace; grace > 0 && (bound <= 0 || grace < bound) && s.turnOver() {
		return grace
	}
	return bound
}

// closeGap closes what a gap ends: the run that has shown its end, or all that is open where the stream was left.
func (s *Stream) closeGap() {
	if s.turnOver() {
		s.closeRun(s.run, otlp.CloseReasonTimeout)
	} else {
		s.closeOpen(otlp.CloseReasonTimeout)
	}
}

// closeOld closes what an old file leaves open. The file of a sub-agent is its parent's to close, as long as that may come.
func (s *Stream) closeOld() {
	if !s.isOld(s.registry.settings.Now, s.settings.IdleGap) || s.awaitsAccount() || !s.links.child.IsZero() {
		return
	}
	if s.run == nil && len(s.pending) == 0 || s.run != nil && s.run.closed && len(s.pending) == 0 && len(s.open.agents) == 0 && len(s.open.lingering) == 0 && s.process.unwritten == nil {
		return
	}
	if s.release(releaseReady); s.childOf(s.pending) != (link.Key{}) {
		return
	}
	s.done(StepOld, s.sink)
	s.closeAtEnd(otlp.CloseReasonTimeout)
}

// closeAtEnd closes all that is open at the end of a stream. Its sub-agents' files may be yet to be read.
func (s *Stream) closeAtEnd(reason otlp.CloseReason) {
	announced := s.links.announced
	s.close(reason)
	s.links.announced = announced
}

// continuation is what a run may go on with, and whether it does.
type continuation struct {
	of    *link.Run // the closed run before it in its session, or the one which that went on with; nil: there is none
	shown bool
}

// continuedBy is the continuation of a run that begins with an event: it goes on with the closed run before it where no
// prompt, turn or session begins it, or where its end shows so (events.End.Continues).
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
