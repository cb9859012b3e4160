package telemetry

import (
	"slices"
	"time"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
)

// Only silence shows that an agent was killed or abandoned. A followed stream is closed after a silence, and a stream
// that is read afterwards has a gap between the times of its lines. In both cases the same open items are closed, with
// the same spans and times, and the lines after the gap have the same effect. So the result does not depend on when a
// stream is read. Lines that are written while the stream is followed have no gap before them: the system clock has
// decided, and its decisions are stored ([StepClose]), as are the ranges of these lines ([StreamState.Lived]).

// passed records the time of an applied event.
func (s *runs) passed(at clock.Moment) {
	s.clock.Passed(at)
	s.replay.lastReplayed = s.suppressed
}

// startsAgent reports whether the call starts a sub-agent that works in another stream, if it works at all.
func (c *call) startsAgent() bool { return c.AgentType != "" && c.child == nil }

// startsAny reports whether sub-agents may be at work for the call, in any stream, also if it does not name them.
func (c *call) startsAny() bool {
	return otlp.ToolKind(c.Name, c.Server, c.AgentType != "" || c.child != nil) == otlp.ToolKindAgent
}

// closeGap closes what a gap ends: the run that has shown its end, or everything open if the stream was abandoned.
func (s *runs) closeGap() {
	idle := s.idle
	s.idle = false // an event follows the gap
	defer func() { s.idle = idle }()
	if s.turnOver() {
		s.closeRun(s.run, otlp.CloseReasonTimeout)
	} else {
		s.closeOpen(otlp.CloseReasonTimeout)
	}
}

// gapBound is the largest gap between two lines before the current run counts as over; 0 means no limit.
func (s *runs) gapBound() time.Duration {
	bound := s.settings.IdleGap
	if grace := s.registry.settings.EndGrace; grace > 0 && (bound <= 0 || grace < bound) && s.turnOver() {
		return grace
	}
	return bound
}

// turnOver reports whether the current run has shown its end and nothing below it is active. A sub-agent in a separate
// stream ends with its call.
func (s *runs) turnOver() bool {
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
