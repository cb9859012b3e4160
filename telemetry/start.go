package telemetry

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/team"
)

// begins applies a line that opens a run, a turn or a session. Its time is the start of the run. Its session attributes
// hold until another line replaces them.
func (s *runs) begins(a *agent, ev *events.DisplayEvent, at clock.Moment) {
	if a.call != nil {
		return
	}
	// What a user says between two answers begins nothing, although it may be the first event with a time in a stream without one before.
	a.run.begin.known = a.run.begin.known || at.Source == clock.SourceLine && !a.run.shape.message
	if !a.thread.LastInput.Known() {
		a.thread.LastInput = at // the input of the first model call is missing or follows later
	}
	if ev.Session != nil {
		s.noteSession(ev.SessionID, ev.Session)
	}
}

// beginsAt moves the start of a run whose opening line has no time, and which therefore starts with the previous run's
// time, to the first time in its own lines, and the start of a run that the header of a transcript opened to the first line after the
// header: idle time before a prompt belongs to no run. A header with a model was written for the prompt and belongs to the run,
// unless the prompt came later than [Settings.EndGrace] after it.
func (s *runs) beginsAt(r *run, ev *events.DisplayEvent, at clock.Moment) {
	if !r.begin.floating || at.Source != clock.SourceLine || r.begin.header && (content.IsHeader(ev) || content.IsAside(ev)) {
		return
	}
	top := r.top
	forPrompt := r.begin.header && r.begin.model && at.At.Sub(top.span.Start.At) < s.registry.settings.EndGrace
	r.begin.floating, r.begin.header = false, false
	if forPrompt {
		return
	}
	if top.closed || top.inside.Start.Known() || top.chat != nil || r.first != nil {
		return
	}
	carried := top.span.Start.Source == clock.SourceCarried // possibly by a clock that was set back since
	if carried || top.span.Start.At.Before(at.At) {
		top.span = clock.Interval{Start: at, End: at} // the line with the time may belong to another account and extend nothing
	}
	if last := top.thread.LastInput; last.Known() && (carried || last.At.Before(at.At)) {
		top.thread.LastInput = at
	}
}

// adopt makes the run just opened the work of a sub-agent in its parent's run.
func (s *runs) adopt(key link.Key, ref *link.Run) {
	r := s.run
	r.childKey, r.ref, r.traceID, r.idScope, r.subAgent = key, ref, ref.Trace, ref.Scope, true
	r.key = ref.Key
	r.course.Begin(ref.Begun)
	r.top.parent = otlp.SpanID{}
	r.top.id = key.Agent
	r.top.name = s.agentName
	r.top.spanID = otlp.NewSpanID(otlp.DomainAgent, s.seen.Nth(&s.seen.Agents, key.Agent), key.Provider, key.Session, "", key.Agent)
	ref.Team.Opened(key.Member())
	ref.Move(s.lastWrite())
	if group := s.settings.Group; group != "" {
		ref.Team.Group(team.Key{Agent: group})
	}
	s.classifyAgent(r, key)
	s.registry.startTimer(waitParent, s.self)
}
