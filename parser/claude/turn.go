package claude

import (
	"time"

	"github.com/tailspan/tailspan/events"
)

// turn is what a stream has begun without having its result yet. If a task continues in the background, the program begins
// a separate turn for that task's report. It may write the result of the first turn after the messages of the second one
// (2.1.332):
//
//	init  messages  task_started (in the background)  ...  init  messages  result (of the first)  result (of the second)
//
// Both are one run, since the agent received one prompt. The run ends with the last result.
type turn struct {
	session    string
	open       bool
	background bool // it has background tasks
	more       int  // further turns that began before its result came
	joined     bool // there were such turns
	took       time.Duration
	count      int // turns reported by the results before the last one
}

// goesOn reports whether an init begins a further turn of the open run, and records that.
func (t *turn) goesOn(session string) bool {
	if !t.open || !t.background || session != t.session {
		return false
	}
	t.more++
	t.joined = true
	return true
}

// takes adds a result to the run and reports whether more results follow.
func (t *turn) takes(end *events.End) (more bool) {
	if !t.joined {
		*t = turn{}
		return false
	}
	t.took, t.count = max(t.took, end.Duration), t.count+end.Turns
	end.Duration, end.Turns = t.took, t.count
	if t.more > 0 {
		t.more--
		return true
	}
	*t = turn{}
	return false
}
