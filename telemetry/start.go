package telemetry

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/clock"
)

// begins applies a line that opens a run, a turn or a session: its time is that of the run's start, and what it says of
// the session holds until another line says otherwise.
func (s *Stream) begins(a *agent, ev *events.DisplayEvent, at clock.Moment) {
	if a.call != nil {
		return
	}
	// What a user says between two answers begins nothing: in a stream whose first line has no time it may be the first that has.
	a.run.begin.known = a.run.begin.known || at.Source == clock.SourceLine && !a.run.shape.message
	if !a.thread.LastInput.Known() {
		a.thread.LastInput = at // what the first model call answers is nowhere, or comes later
	}
	if ev.Session != nil {
		s.noteSession(ev.SessionID, ev.Session)
	}
}

// beginsAt moves the start of a run that its opening line gave no time for, and that has that of the run before, to the
// first time that one of its lines gives: idle time before a prompt belongs to no run.
func (s *Stream) beginsAt(r *run, at clock.Moment) {
	if !r.begin.floating || at.Source != clock.SourceLine {
		return
	}
	r.begin.floating = false
	top := r.top
	if top.closed || top.inside.Start.Known() || top.chat != nil || r.first != nil {
		return
	}
	if top.span.Start.At.Before(at.At) {
		top.span.Start = at
		top.span.Cover(&at) // what gives the time may be another account's, and stretch nothing
	}
	if top.thread.LastInput.Known() && top.thread.LastInput.At.Before(at.At) {
		top.thread.LastInput = at
	}
}
