package claude

import (
	"bytes"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// task tells where a background task or a sub-agent stands: a call that takes more than about 2 s is a task.
func (p *Parser) task(r *record, subtype string) {
	task := r.rest.Get("task_id")
	id := p.strings.Text(r.rest.Get("tool_use_id"))
	if len(task.Body()) > 0 {
		key := p.idKey(domainTask, task)
		if id != "" {
			p.tasks.Set(key, id)
		} else {
			id, _ = p.tasks.Get(key) // task_updated names the task alone
		}
	}
	if id == "" {
		return // of no call that we could name
	}
	state, text, ended := taskState(r, subtype, &p.inner, &p.nested)
	if state == events.ToolStateUnspecified {
		return
	}
	e := p.emit(events.KindToolProgress)
	e.Text = p.strings.Text(text)
	if e.Time.IsZero() {
		e.Time = ended
	}
	e.Tool.ID, e.Tool.State = id, state
	e.Tool.AgentType = p.strings.Intern(r.rest.Get("subagent_type"))
	if e.Tool.AgentType != "" || r.rest.Get("task_type").Is("local_agent") {
		e.Tool.AgentID = p.strings.Intern(task)
	}
	if usage := r.rest.Get("usage"); usage.Kind == scan.KindObject {
		p.nested = p.inner.MembersOf(usage, p.nested[:0])
		e.Tool.Duration = millis(p.nested.Get("duration_ms"))
	}
	if state == events.ToolStateFailed {
		e.Tool.Error, e.Tool.Err = true, e.Text
	}
}

// taskState reads the state, the words and the end of a task's line.
func taskState(r *record, subtype string, s *scan.Scanner, nested *scan.Members) (events.ToolState, scan.Value, time.Time) {
	switch subtype {
	case "task_started":
		if r.rest.Get("is_backgrounded").True() {
			return events.ToolStateBackground, r.rest.Get("description"), time.Time{}
		}
		return events.ToolStateRunning, r.rest.Get("description"), time.Time{}
	case "task_progress":
		return events.ToolStateRunning, r.rest.Get("description"), time.Time{}
	case "task_notification":
		return endState(r.rest.Get("status")), r.rest.Get("summary"), time.Time{}
	default: // task_updated
		*nested = s.MembersOf(r.rest.Get("patch"), (*nested)[:0])
		state := endState(nested.Get("status"))
		if state == events.ToolStateUnspecified && nested.Get("is_backgrounded").True() {
			state = events.ToolStateBackground
		}
		return state, scan.Value{}, nested.Get("end_time").Time() // the one time in the format that is in milliseconds
	}
}

// taskNotification is how the prompt begins by which a transcript tells the end of a background task; a stream has a line
// of its own for that.
const taskNotification = "<task-notification>"

func (p *Parser) taskNotice(text string) {
	id, state := tag(text, "tool-use-id"), endWord(tag(text, "status"))
	if id == "" || state == events.ToolStateUnspecified {
		return
	}
	e := p.emit(events.KindToolProgress)
	e.Text = tag(text, "summary")
	e.Tool.ID, e.Tool.State = id, state
	if state == events.ToolStateFailed {
		e.Tool.Error, e.Tool.Err = true, e.Text
	}
}

// tag gives what stands in the first element of a name.
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

func endState(status scan.Value) events.ToolState { return endWord(string(status.Body())) }

func endWord(status string) events.ToolState {
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

// toolProgress is the sign of life of a long call. A heartbeat names the call as its parent and has a made-up id of its
// own, "<call>-heartbeat-0": its parent is no agent and must not nest anything.
func (p *Parser) toolProgress(r *record) {
	id, parent := r.rest.Get("tool_use_id"), r.parent
	if len(parent.Body()) > 0 && (r.rest.Get("heartbeat").True() || bytes.HasPrefix(id.Body(), parent.Body())) {
		id, r.parent = parent, scan.Value{}
	}
	if len(id.Body()) == 0 {
		return
	}
	e := p.emit(events.KindToolProgress)
	e.Tool = events.Tool{
		ID:       p.strings.Text(id),
		Name:     p.toolName(r.rest.Get("tool_name")),
		State:    events.ToolStateRunning,
		Duration: r.rest.Get("elapsed_time_seconds").Duration(time.Second),
	}
}
