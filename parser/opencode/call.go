package opencode

import (
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// call is what the parser remembers of a part. For parts other than tools, it only records that the part was seen.
//
//	state     used  done
//	unseen    no    no
//	open      yes   no     the first of running, completed and error emits the call
//	done      yes   yes    the first of completed and error emits the result; later ones are repetitions
type call struct {
	id         string
	used, done bool
}

// calls holds the tool calls of a stream and their results.
type calls struct {
	*line
	openIDs memory.Table[uint64] // call ID → the open part that uses it
}

// toolPart emits the call and the result of a tool's part, each once.
func (cs *calls) toolPart(pt *part) {
	st := &pt.state
	finished := false
	switch string(st.status.Body()) {
	case "running":
	case "completed", "error":
		finished = true
	default: // pending: the arguments are not known yet
		return
	}
	key, known := cs.callKey(pt)
	c := new(call)
	if known {
		c = cs.parts.Ref(key)
	}
	if !c.used {
		cs.name(pt, c, key, finished)
	} else if finished && !c.done {
		cs.close(pt, key)
	}
	if pt.tool.Is("task") && c.id != "" {
		cs.link(pt, c)
	}
	if c.used && (c.done || !finished) {
		return // a state that adds nothing
	}
	name := events.CleanLine(cs.Strings.Intern(pt.tool), 0)
	if !c.used {
		c.used = true
		cs.toolUse(pt, name, c.id)
	}
	if finished && !c.done {
		c.done = true
		cs.toolResult(pt, name, c.id)
	}
}

// callKey returns the key of a tool's part: its own ID, otherwise that of the call.
func (cs *calls) callKey(pt *part) (uint64, bool) {
	if key, ok := cs.partKey(pt); ok {
		return key, true
	}
	if len(pt.callID.Body()) > 0 {
		return cs.Keys.ID(domainPart, pt.callID.Body()) + 1, true
	}
	return 0, false
}

// name assigns an ID to a call and reserves it until the call is finished. Call IDs come from the models' servers:
// if one is empty, or in use by another part, the part's own ID is used.
func (cs *calls) name(pt *part, c *call, key uint64, finished bool) {
	if c.id = cs.Strings.Text(pt.callID); c.id == "" {
		c.id = cs.Head.ItemID
		return
	}
	used := cs.Keys.ID(domainCall, pt.callID.Body())
	if by, open := cs.openIDs.Get(used); open && by != 0 && by != key && cs.Head.ItemID != "" {
		c.id = cs.Head.ItemID
	} else if !finished {
		cs.openIDs.Set(used, key)
	}
}

// link records which call started the session of a task.
func (cs *calls) link(pt *part, c *call) {
	if child := pt.state.child; len(child.Body()) > 0 {
		in, _ := cs.sessions.Get(cs.Keys.ID(domainSession, child.Body()))
		if in.call != c.id {
			in.call = c.id
			cs.sessions.Set(cs.Keys.ID(domainSession, child.Body()), in)
		}
	} else if !c.used {
		// The call does not name its session; the session's title identifies the call.
		title := cs.Strings.Text(pt.state.args.Get("description")) + " (@" + cs.Strings.Text(pt.state.args.Get("subagent_type")) + " subagent)"
		cs.tasks.Set(cs.taskKey(pt.sessionID, title), c.id)
	}
}

// linkEarly links the session of a task whose row is pending: the session starts before the text has ended.
func (cs *calls) linkEarly(pt *part) {
	if pt.tool.Is("task") && !pt.state.status.Is("pending") {
		if id := cs.Strings.Text(pt.callID); id != "" {
			cs.link(pt, &call{id: id})
		}
	}
}

// close frees a call's ID for the next call.
func (cs *calls) close(pt *part, key uint64) {
	if len(pt.callID.Body()) > 0 {
		used := cs.Keys.ID(domainCall, pt.callID.Body())
		if by, open := cs.openIDs.Get(used); open && by == key {
			cs.openIDs.Set(used, 0)
		}
	}
}

func (cs *calls) toolUse(pt *part, name, id string) {
	st, info := &pt.state, tools[name]
	e := cs.Emit(events.KindToolUse)
	e.Time = firstTime(millis(st.start), e.Time)
	t := &e.Tool
	t.ID, t.Name, t.Input, t.ReadOnly = id, name, st.input.Raw, info.readOnly
	t.Target = cs.target(name, st.args)
	if name == "task" {
		t.AgentType = cs.Strings.Intern(st.args.Get("subagent_type"))
	}
}

func (cs *calls) toolResult(pt *part, name, id string) {
	st := &pt.state
	e := cs.Emit(events.KindToolResult)
	e.Time = firstTime(millis(st.end), e.Time)
	t := &e.Tool
	t.ID, t.Name = id, name
	t.Truncated = st.truncated.True()
	t.Duration = between(st.start, st.end)
	failed := st.status.Is("error")
	said := st.output
	if failed {
		said = st.failure
	}
	text := cs.Output.Text(said)
	info := tools[name]
	if st.exit.Kind == scan.KindNumber {
		t.ExitCode, t.HasExitCode = int(st.exit.Int()), true
	}
	// A command that failed or exceeded its time limit (exit: null) has the status completed too.
	unwell := info.shell && (t.HasExitCode && t.ExitCode != 0 || st.exit.Kind == scan.KindNull)
	if failed || unwell || info.standIn {
		t.Error = true
		t.Err = string(text.All())
	}
	if failed {
		t.Denied = strings.HasPrefix(t.Err, deniedByRule) || strings.HasPrefix(t.Err, deniedByUser)
		if st.interrupted.True() || strings.HasPrefix(t.Err, aborted) {
			t.State = events.ToolStateStopped
		}
	}
	summarise(t, &text, info.wrappers)
	if st.lineStart.Kind == scan.KindNumber && st.lineEnd.Kind == scan.KindNumber && st.lineEnd.Int() >= st.lineStart.Int() {
		t.Lines, t.HasLines = int(min(st.lineEnd.Int()-max(st.lineStart.Int(), 0), events.MaxCount))+1, true
	}
	if name == "task" && len(st.child.Body()) > 0 {
		t.AgentID = cs.Strings.Text(st.child)
	}
}

// How the errors of calls begin that were never run or that were stopped.
const (
	deniedByRule = "The user has specified a rule which prevents"
	deniedByUser = "The user rejected permission"
	aborted      = "Tool execution aborted"
)

// maxWrapperBytes is how far from the beginning of a result its text can begin, in bytes of the line.
const maxWrapperBytes = 4 << 10

// summarise sets the summary of a result, from the text after the tool's wrapper.
func summarise(t *events.Tool, text *lines.Text, wrappers []string) {
	inner := *text
	for _, mark := range wrappers {
		if inner.SkipBehind(mark, maxWrapperBytes) {
			break
		}
	}
	var cut bool
	t.Summary, cut = inner.Summary()
	text.FillCut(t, cut)
}

// between returns the time from start to end. Aborted calls can end before they start.
func between(start, end scan.Value) time.Duration {
	from, to := millis(start), millis(end)
	if from.IsZero() || to.IsZero() {
		return 0
	}
	return max(to.Sub(from), 0)
}
