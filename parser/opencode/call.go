package opencode

import (
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// call is what is remembered of a part; of all but tools, only that it was seen.
//
//	state     used  done
//	unseen    no    no
//	open      yes   no     the first of running, completed and error gives the call
//	done      yes   yes    the first of completed and error gives the result; what comes then is a repeat
type call struct {
	id         string
	used, done bool
}

// toolPart emits the call and the result of a tool's part, each once.
func (p *Parser) toolPart(pt *part) {
	st := &pt.state
	finished := false
	switch string(st.status.Body()) {
	case "running":
	case "completed", "error":
		finished = true
	default: // pending: the arguments are not known yet
		return
	}
	key, known := p.callKey(pt)
	c := new(call)
	if known {
		c = p.parts.Ref(key)
	}
	if !c.used {
		p.name(pt, c, key, finished)
	} else if finished && !c.done {
		p.close(pt, key)
	}
	if pt.tool.Is("task") && c.id != "" {
		p.link(pt, c)
	}
	if c.used && (c.done || !finished) {
		return // a state that has nothing new
	}
	name := events.CleanLine(p.Strings.Intern(pt.tool), 0)
	if !c.used {
		c.used = true
		p.toolUse(pt, name, c.id)
	}
	if finished && !c.done {
		c.done = true
		p.toolResult(pt, name, c.id)
	}
}

// taskKey is the key of a task: the session that it was called in, and the title of the session that it starts.
func (p *Parser) taskKey(session scan.Value, title string) uint64 {
	return p.Keys.With(p.Keys.ID(domainTask, session.Body()), []byte(title))
}

// callKey is the key of a tool's part: its own id, else the call's.
func (p *Parser) callKey(pt *part) (uint64, bool) {
	if key, ok := p.partKey(pt); ok {
		return key, true
	}
	if len(pt.callID.Body()) > 0 {
		return p.Keys.ID(domainPart, pt.callID.Body()) + 1, true
	}
	return 0, false
}

// name gives a call its id, and holds it until the call is finished. Models' servers make the call ids: where one is
// empty, or in use by another part, the part's own id is used.
func (p *Parser) name(pt *part, c *call, key uint64, finished bool) {
	if c.id = p.Strings.Text(pt.callID); c.id == "" {
		c.id = p.Head.ItemID
		return
	}
	used := p.Keys.ID(domainCall, pt.callID.Body())
	if by, open := p.openIDs.Get(used); open && by != 0 && by != key && p.Head.ItemID != "" {
		c.id = p.Head.ItemID
	} else if !finished {
		p.openIDs.Set(used, key)
	}
}

// link gives the session that a task starts its call.
func (p *Parser) link(pt *part, c *call) {
	if child := pt.state.child; len(child.Body()) > 0 {
		in, _ := p.sessions.Get(p.Keys.ID(domainSession, child.Body()))
		if in.call != c.id {
			in.call = c.id
			p.sessions.Set(p.Keys.ID(domainSession, child.Body()), in)
		}
	} else if !c.used {
		// The call does not name its session; the session's title names the call.
		title := p.Strings.Text(pt.state.args.Get("description")) + " (@" + p.Strings.Text(pt.state.args.Get("subagent_type")) + " subagent)"
		p.tasks.Set(p.taskKey(pt.sessionID, title), c.id)
	}
}

// close frees a call's id for the next call.
func (p *Parser) close(pt *part, key uint64) {
	if len(pt.callID.Body()) > 0 {
		used := p.Keys.ID(domainCall, pt.callID.Body())
		if by, open := p.openIDs.Get(used); open && by == key {
			p.openIDs.Set(used, 0)
		}
	}
}

func (p *Parser) toolUse(pt *part, name, id string) {
	st, info := &pt.state, tools[name]
	e := p.Emit(events.KindToolUse)
	e.Time = firstTime(millis(st.time.start), e.Time)
	t := &e.Tool
	t.ID, t.Name, t.Input, t.ReadOnly = id, name, st.input.Raw, info.readOnly
	t.Target = p.target(name, st.args)
	if name == "task" {
		t.AgentType = p.Strings.Intern(st.args.Get("subagent_type"))
	}
}

func (p *Parser) toolResult(pt *part, name, id string) {
	st := &pt.state
	e := p.Emit(events.KindToolResult)
	e.Time = firstTime(millis(st.time.end), e.Time)
	t := &e.Tool
	t.ID, t.Name = id, name
	t.Truncated = st.truncated.True()
	t.Duration = between(st.time.start, st.time.end)
	failed := st.status.Is("error")
	said := st.output
	if failed {
		said = st.failure
	}
	text := p.Output.Text(said)
	info := tools[name]
	if st.exit.Kind == scan.KindNumber {
		t.ExitCode, t.HasExitCode = int(st.exit.Int()), true
	}
	// A command that failed, or that ran into its time limit (exit: null), is completed all the same.
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
		t.AgentID = p.Strings.Text(st.child)
	}
}

// How the errors of calls begin that never ran, or that were stopped.
const (
	deniedByRule = "The user has specified a rule which prevents"
	deniedByUser = "The user rejected permission"
	aborted      = "Tool execution aborted"
)

// maxWrapperBytes is how far behind the start of a result its text can begin, in bytes of the line.
const maxWrapperBytes = 4 << 10

// summarise makes the summary of a result, which is of what is behind the tool's wrapper.
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

// between is the time from start to end; aborted calls can end before they start.
func between(start, end scan.Value) time.Duration {
	from, to := millis(start), millis(end)
	if from.IsZero() || to.IsZero() {
		return 0
	}
	return max(to.Sub(from), 0)
}
