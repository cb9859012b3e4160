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
	a.run.beginTold = a.run.beginTold || at.source == TimeSourceLine
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
