package telemetry

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/clock"
)

// pendingEventBytes is about what a pending event takes beside its texts.
const pendingEventBytes = 1 << 10

// bytesOf is about what a pending event takes, in bytes.
func bytesOf(ev *events.DisplayEvent) int {
	n := pendingEventBytes + len(ev.Text) + len(ev.Reasoning)
	t := &ev.Tool
	n += len(t.Target) + len(t.Input) + len(t.Output) + len(t.Summary) + len(t.Err)
	if e := ev.End; e != nil {
		n += len(e.Result) + len(e.Err) + len(e.Principle)
	}
	if a := ev.Approval; a != nil {
		n += len(a.Subject)
	}
	if ev.Ask != nil {
		n += bytesOfAsk(ev.Ask)
	}
	return n
}

func bytesOfAsk(a *events.Ask) (n int) {
	for i := range a.Questions {
		q := &a.Questions[i]
		n += len(q.Header) + len(q.Prompt)
		for _, option := range q.Options {
			n += len(option.Label) + len(option.Description)
		}
	}
	for i := range a.Answers {
		for _, selected := range a.Answers[i].Selected {
			n += len(selected)
		}
	}
	return n
}

// pendingEvents are the events of a stream that wait, the oldest first. Each knows how many bytes came up to it, so that those
// which wait are a difference.
type pendingEvents []pendingEvent

// headerAlone reports whether nothing is pending but the header of a transcript. Gemini CLI leaves such a file when it resumes a
// session in another minute, and writes on to the one before.
func (p pendingEvents) headerAlone() bool {
	return len(p) == 1 && startsSession(&p[0].event) && p[0].event.Session != nil && p[0].event.Session.Recorded
}

// bytesFrom is about what the events from one on take.
func (p pendingEvents) bytesFrom(first int) int64 {
	return p[len(p)-1].upTo - p[first].upTo + int64(p[first].bytes)
}

// exceed reports whether more waits than the limits allow.
func (p pendingEvents) exceed(limits *Limits) bool {
	return len(p) > 0 && (len(p) > limits.PendingEvents || p.bytesFrom(0) > int64(limits.PendingBytes))
}

// leaveRoom reports whether the events behind the first ones leave a quarter of the limits free.
func (p pendingEvents) leaveRoom(limits *Limits, done int) bool {
	return len(p)-done <= limits.PendingEvents*3/4 && p.bytesFrom(done) <= int64(limits.PendingBytes)*3/4
}

// date gives m to all that waits for a time. The time of a line is also better than that of arrival or of the file: a first
// line without one was written before it.
func (p pendingEvents) date(m clock.Moment) {
	for i := range p {
		if h := &p[i]; !h.at.Known() || h.at.Guessed() && m.Source == clock.SourceCarried {
			h.at = m
		}
	}
}
