package lines

import (
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
)

// TaskNotice is the text with which a program notifies its model that a background task has ended, in the form of Claude
// Code and Qwen Code:
//
//	<task-notification><task-id>..</task-id><tool-use-id>..</tool-use-id><status>completed</status>...
type TaskNotice struct {
	Call     string // the ID of the call that started the task
	Task     string
	Summary  string
	State    events.ToolState
	Duration time.Duration // 0 if not reported
}

// ReadTaskNotice parses a notice. It returns false if the notice has no call or no state.
func ReadTaskNotice(text string) (n TaskNotice, ok bool) {
	n = TaskNotice{
		Call: tag(text, "tool-use-id"), Task: tag(text, "task-id"), Summary: tag(text, "summary"), State: TaskState(tag(text, "status")),
	}
	if d, err := time.ParseDuration(tag(text, "duration_ms") + "ms"); err == nil && events.PlausibleDuration(d) {
		n.Duration = d
	}
	return n, n.Call != "" && n.State != events.ToolStateUnspecified
}

// Apply copies the contents of the notice to an event.
func (n *TaskNotice) Apply(e *events.DisplayEvent) {
	e.Text = n.Summary
	e.Tool.ID, e.Tool.State, e.Tool.Duration = n.Call, n.State, n.Duration
	if n.State == events.ToolStateFailed {
		e.Tool.Error, e.Tool.Err = true, e.Text
	}
}

// tag returns the content of the first element with the given name.
func tag(text, name string) string {
	_, text, ok := strings.Cut(text, "<"+name+">")
	if !ok {
		return ""
	}
	body, _, ok := strings.Cut(text, "</"+name+">")
	if !ok {
		return ""
	}
	return body
}

// TaskState returns the state for a status word.
func TaskState(status string) events.ToolState {
	switch status {
	case "completed":
		return events.ToolStateCompleted
	case "failed", "error":
		return events.ToolStateFailed
	case "stopped", "killed", "cancelled":
		return events.ToolStateStopped
	case "running", "pending", "in_progress":
		return events.ToolStateRunning
	default:
		return events.ToolStateUnspecified
	}
}
