package telemetry

import (
	"cmp"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/events"
)

// begins takes in a line that opens a run, a turn or a session: its time is that of the run's start, and what it tells of
// the session holds until another line tells otherwise.
func (s *Stream) begins(a *agent, ev *events.DisplayEvent, at moment) {
	if a.call != nil {
		return
	}
	// What a user says between two answers is no begin: a stream without a time on its first line tells one there.
	a.run.beginTold = a.run.beginTold || at.source == TimeSourceLine && !a.run.hasMessage
	if !a.lastInput.known() {
		a.lastInput = at // what the first model call answers is told nowhere, or later
	}
	start := ev.Session
	if start == nil {
		return
	}
	if s.session == nil || ev.SessionID != s.sessionID {
		s.session, s.sessionID = &events.Session{}, ev.SessionID
	}
	known := s.session
	known.WorkingDir = cmp.Or(start.WorkingDir, known.WorkingDir)
	known.PermissionMode = cmp.Or(start.PermissionMode, known.PermissionMode)
	known.PreviousID = cmp.Or(start.PreviousID, known.PreviousID)
	known.Branch = cmp.Or(start.Branch, known.Branch)
}

// beginsAt moves the start of a run that its opening line gave no time for, and that has that of the run before, to the
// first time that one of its lines gives: idle time before a prompt belongs to no run.
func (s *Stream) beginsAt(r *run, at moment) {
	if !r.floating || at.source != TimeSourceLine {
		return
	}
	r.floating = false
	top := r.top
	if top.closed || top.inside.start.known() || top.chat != nil || r.first != nil {
		return
	}
	if top.span.start.at.Before(at.at) {
		top.span.start = at
	}
	if top.lastInput.known() && top.lastInput.at.Before(at.at) {
		top.lastInput = at
	}
}

// putSession writes what the start lines told on the span of a run.
func (s *Stream) putSession(m pcommon.Map) {
	if s.session == nil {
		return
	}
	putStr(m, AttrProcessWorkDir, s.session.WorkingDir)
	putStr(m, AttrPermissionMode, s.session.PermissionMode)
	putStr(m, AttrSessionPrevious, s.session.PreviousID)
	putStr(m, AttrVCSHeadName, s.session.Branch)
}
