package telemetry

import (
	"cmp"

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
	start := ev.Session
	if start == nil {
		return
	}
	now := sessionStart{ev.SessionID, start.WorkingDir, start.PermissionMode, start.PreviousID, start.Branch}
	if known := s.session; known != nil && known.id == now.id {
		now.folder, now.mode = cmp.Or(now.folder, known.folder), cmp.Or(now.mode, known.mode)
		now.previous, now.branch = cmp.Or(now.previous, known.previous), cmp.Or(now.branch, known.branch)
	}
	if s.session != nil && *s.session == now {
		return
	}
	own(&now.id, &now.folder, &now.mode, &now.previous, &now.branch)
	s.session = &now
}

// sessionStart is what the start lines of a session say that its runs have on their spans.
type sessionStart struct {
	id, folder, mode, previous, branch string
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

// shown is what the span of a run shows of it; nil without a start line.
func (s *sessionStart) shown() *events.Session {
	if s == nil {
		return nil
	}
	return &events.Session{WorkingDir: s.folder, PermissionMode: s.mode, PreviousID: s.previous, Branch: s.branch}
}
