package claude

import (
	"time"

	"github.com/tailspan/tailspan/events"
)

// turn is what a stream began and has not given the result of. Where a task goes on in the background, the program begins a
// turn of its own for that task's report, and may write the result of the first turn behind the second one's messages
// (2.1.332):
//
//	init  messages  task_started (in the background)  ...  init  messages  result (of the first)  result (of the second)
//
// Both are one run: the agent received one prompt. Its end is the last result.
type turn struct {
	session    string
	open       bool
	background bool // it has tasks in the background
	more       int  // further turns that began before its result came
	joined     bool // there were such turns
	took       time.Duration
	count      int // turns that the results before the last one report
}

// goesOn reports whether an init begins a further turn of what is open, and notes that.
func (t *turn) goesOn(session string) bool {
	if !t.open || !t.background || session != t.session {
		return false
	}
	t.more++
	t.joined = true
	return true
}

// takes adds a result to the turn, and reports whether others follow.
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
