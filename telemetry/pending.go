package telemetry

import (
	"sync/atomic"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/clock"
)

// pendingEventBytes is the approximate size of a pending event without its texts.
const pendingEventBytes = 1 << 10

// bytesOf returns the approximate size of a pending event in bytes.
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

// pendingEvents are the pending events of a stream, oldest first. Each one has a running total of sizes, so the size of
// any range is a difference.
type pendingEvents []pendingEvent

// bytesFrom returns the approximate size of the events from index first on.
func (p pendingEvents) bytesFrom(first int) int64 {
	return p[len(p)-1].upTo - p[first].upTo + int64(p[first].bytes)
}

// exceed reports whether the pending events exceed the limits.
func (p pendingEvents) exceed(limits *Limits) bool {
	return len(p) > 0 && (len(p) > limits.PendingEvents || p.bytesFrom(0) > int64(limits.PendingBytes))
}

// leaveRoom reports whether the events from index done on leave a quarter of the limits free.
func (p pendingEvents) leaveRoom(limits *Limits, done int) bool {
	return len(p)-done <= limits.PendingEvents*3/4 && p.bytesFrom(done) <= int64(limits.PendingBytes)*3/4
}

// date sets the time of events that wait for one. A line's time also replaces a guessed one: the first lines, which
// lack a time, were written before it.
func (p pendingEvents) date(m clock.Moment) {
	for i := range p {
		if h := &p[i]; !h.at.Known() || h.at.Guessed() && m.Source == clock.SourceCarried {
			h.at = m
		}
	}
}

// backlog is the time of the last line that was written before its stream was followed. While such lines are read, the
// file of a sub-agent's parent may not have been read yet. It is safe for concurrent use.
type backlog struct{ last atomic.Int64 }

// backlogStep is its resolution: streams that are read concurrently need not write it for each line.
const backlogStep = 100 * time.Millisecond

// moved records a line.
func (b *backlog) moved(now time.Time) {
	if nano := now.UnixNano(); nano-b.last.Load() >= int64(backlogStep) {
		b.last.Store(nano)
	}
}

// quietSince reports whether no such line was read after before.
func (b *backlog) quietSince(before time.Time) bool { return b.last.Load() <= before.UnixNano() }

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
