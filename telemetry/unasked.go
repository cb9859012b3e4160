package telemetry

import "github.com/tailspan/tailspan/events"

// A transcript without a prompt is no run. Agents create their files before the first prompt: Gemini CLI when it starts or resumes a
// session, and it adds the notices that it shows; OpenCode when a program creates a session. A prompt that was sent is in the
// transcript even if it failed. OpenCode refuses a prompt before it stores it, but the session has its model by then.

// isUnasked reports whether the pending events are such a transcript.
func (p pendingEvents) isUnasked() bool {
	return len(p) > 0 && p[0].event.Model == "" && p.unasked() == len(p)
}

// unasked returns the number of events at the beginning of p that are no work: the header and notices of the program.
func (p pendingEvents) unasked() (n int) {
	for i := range p {
		switch ev := &p[i].event; {
		case isHeader(ev) && startsSession(ev):
		case i == 0 || !isAsideOfWork(ev):
			return i
		}
	}
	return len(p)
}

// isHeader reports whether an event is the header of a transcript.
func isHeader(ev *events.DisplayEvent) bool {
	return ev.Kind == events.KindSessionStarted && ev.Session != nil && ev.Session.Recorded
}

// isAsideOfWork reports whether an event is a notice of the program that shows no prompt, model call or failure.
func isAsideOfWork(ev *events.DisplayEvent) bool {
	return ev.Kind == events.KindNotice && ev.Notice.Level != events.LevelError && ev.Notice.Code != events.NoticeAPIRetry &&
		ev.Sign == (events.Sign{}) && ev.ParentID == ""
}
