package telemetry

import "github.com/tailspan/tailspan/events"

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

// overPendingLimits reports whether more waits than the limits allow. Each pending event knows how many bytes came up to it, so
// that those which wait are a difference.
func (s *Stream) overPendingLimits() bool {
	if len(s.pending) == 0 {
		return false
	}
	limits := &s.registry.settings.Limits
	first, last := &s.pending[0], &s.pending[len(s.pending)-1]
	return len(s.pending) > limits.PendingEvents || last.upTo-first.upTo+int64(first.bytes) > int64(limits.PendingBytes)
}

// roomBehind reports whether the events behind the first ones would leave a quarter of the limits free.
func (s *Stream) roomBehind(done int) bool {
	limits := &s.registry.settings.Limits
	first, last := &s.pending[done], &s.pending[len(s.pending)-1]
	bytes := last.upTo - first.upTo + int64(first.bytes)
	return len(s.pending)-done <= limits.PendingEvents*3/4 && bytes <= int64(limits.PendingBytes)*3/4
}
