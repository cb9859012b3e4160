package claude

import (
	"bytes"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// tasks holds the background tasks and sub-agents of a stream.
type tasks struct {
	*line
	texts   *texts
	session *session

	byTask memory.Table[taskCalls]
	askers memory.Table[string] // call that started a sub-agent → latest call that sent it a request
}

// task reports the state of a background task or sub-agent. A call that takes more than about 2 s is a task.
func (k *tasks) task(r *sdkstream.Envelope, subtype string) {
	task := r.Rest.Get("task_id")
	id := k.Strings.Text(r.Rest.Get("tool_use_id"))
	if len(task.Body()) > 0 {
		id = k.taskCall(task, id)
	}
	if id == "" {
		return // no known call
	}
	state, text, ended := taskState(r, subtype, &k.Inner, &k.Nested)
	if state == events.ToolStateUnspecified {
		return
	}
	k.session.turn.background = k.session.turn.background || state == events.ToolStateBackground
	e := k.Emit(events.KindToolProgress)
	e.Text = k.Strings.Text(text)
	if e.Time.IsZero() {
		e.Time = ended
	}
	e.Tool.ID, e.Tool.State = id, state
	e.Tool.AgentType = k.Strings.Intern(r.Rest.Get("subagent_type"))
	if e.Tool.AgentType != "" || r.Rest.Get("task_type").Is("local_agent") {
		e.Tool.AgentID = k.Strings.Intern(task)
	}
	if usage := r.Rest.Get("usage"); usage.Kind == scan.KindObject {
		k.Members(usage)
		e.Tool.Duration = scan.Millis(k.Nested.Get("duration_ms"))
	}
	if state == events.ToolStateFailed {
		e.Tool.Error, e.Tool.Err = true, e.Text
	}
}

// taskCalls are the calls of a task.
type taskCalls struct {
	first string // the call that started it
	last  string // the latest one that sent a request to its agent: the first, or a SendMessage
}

// taskCall returns the call that a task works for: the one that its line names, otherwise the latest one named before.
// The lines of a sub-agent always name its first call, no matter which call sent the request.
func (k *tasks) taskCall(task scan.Value, id string) string {
	key := k.idKey(domainTask, task)
	t, _ := k.byTask.Get(key)
	if id == "" {
		return t.last // task_updated names only the task
	}
	if t.last == id {
		return id
	}
	if t.last = id; t.first == "" {
		t.first = id
	}
	k.byTask.Set(key, t)
	if t.first != id {
		k.askers.Set(k.Keys.String(domainCall, t.first), id)
	}
	return id
}

// asker returns the call for which the sub-agent that call started is currently working.
func (k *tasks) asker(call string) string {
	if call == "" {
		return call
	}
	if last, asked := k.askers.Get(k.Keys.String(domainCall, call)); asked {
		return last
	}
	return call
}

// taskState returns the state, the text and the end time of a task's line.
func taskState(r *sdkstream.Envelope, subtype string, s *scan.Scanner, nested *scan.Members) (events.ToolState, scan.Value, time.Time) {
	switch subtype {
	case "task_started":
		if r.Rest.Get("is_backgrounded").True() {
			return events.ToolStateBackground, r.Rest.Get("description"), time.Time{}
		}
		return events.ToolStateRunning, r.Rest.Get("description"), time.Time{}
	case "task_progress":
		return events.ToolStateRunning, r.Rest.Get("description"), time.Time{}
	case "task_notification":
		return endState(r.Rest.Get("status")), r.Rest.Get("summary"), time.Time{}
	default: // task_updated
		*nested = s.MembersOf(r.Rest.Get("patch"), (*nested)[:0])
		state := endState(nested.Get("status"))
		if state == events.ToolStateUnspecified && nested.Get("is_backgrounded").True() {
			state = events.ToolStateBackground
		}
		return state, scan.Value{}, nested.Get("end_time").Time() // the only time in the format that is in milliseconds
	}
}

// taskNotification begins the prompt that reports the end of a background task in a transcript; a stream has a separate
// line for that.
const taskNotification = "<task-notification>"

func (k *tasks) taskNotice(text string) {
	if n, ok := lines.ReadTaskNotice(text); ok {
		n.Apply(k.Emit(events.KindToolProgress))
	}
}

// queue handles what is queued for the model's next turn. Only the notice of a task's end is an event; its time is that of
// the queueing.
func (k *tasks) queue(r *sdkstream.Envelope) events.LineStatus {
	if !r.Rest.Get("operation").Is("enqueue") {
		return events.LineIgnored
	}
	text := r.Rest.Get("content")
	if !bytes.HasPrefix(text.Body(), []byte(taskNotification)) || !bytes.Contains(text.Body(), []byte("<status>")) {
		return events.LineIgnored
	}
	if !k.texts.seen.Add(k.Keys.Bytes(domainNotice, text.Body())) {
		return events.LineIgnored
	}
	k.taskNotice(k.Strings.Text(text))
	return events.LineOK
}

func endState(status scan.Value) events.ToolState { return lines.TaskState(string(status.Body())) }

// toolProgress handles the heartbeat of a long call. A heartbeat names the call as its parent and has an artificial ID,
// "<call>-heartbeat-0": its parent is not an agent and must not nest anything.
func (k *tasks) toolProgress(r *sdkstream.Envelope) {
	id, parent := r.Rest.Get("tool_use_id"), r.Parent
	if len(parent.Body()) > 0 && (r.Rest.Get("heartbeat").True() || bytes.HasPrefix(id.Body(), parent.Body())) {
		id, r.Parent = parent, scan.Value{}
	}
	if len(id.Body()) == 0 {
		return
	}
	e := k.Emit(events.KindToolProgress)
	e.Tool = events.Tool{
		ID:       k.Strings.Text(id),
		Name:     k.toolName(r.Rest.Get("tool_name")),
		State:    events.ToolStateRunning,
		Duration: r.Rest.Get("elapsed_time_seconds").Duration(time.Second),
	}
}
