package codex

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// itemCompleted reads an item as a UI gets it (R4). It has the result of a call before its output and more of it,
// and it is the only source for the calls that a script of code mode makes.
func (p *Parser) itemCompleted(r *record) events.LineStatus {
	m := r.item
	kind := m.Get("type").Body()
	switch string(kind) {
	case "AgentMessage":
		if id := m.Get("id"); len(id.Body()) > 0 {
			p.shown.Set(p.Keys.ID(domainMessage, id.Body()), struct{}{})
		}
		return events.LineIgnored
	case "CommandExecution", "FileChange", "McpToolCall", "DynamicToolCall", "CollabAgentToolCall":
		p.completedCall(string(kind), r)
	case "WebSearch", "ImageView", "ImageGeneration":
		if p.callOf(m.Get("id")).wasCalled() {
			return events.LineIgnored // its output is the result: this has no status
		}
		if string(kind) != "ImageView" {
			p.modelItem(m)
		}
		inv := p.doneInvocation(string(kind), m)
		inv.script = string(kind) == "ImageView" // the model's own has a response item before it
		inv.at = moment(r.body.Get("started_at_ms"))
		p.once(&inv, &outcome{at: moment(r.body.Get("completed_at_ms"))})
	case "SubAgentActivity":
		p.activity(m)
	case "UserMessage", "HookPrompt", "Plan", "Reasoning", "ContextCompaction", "EnteredReviewMode", "ExitedReviewMode", "Sleep":
		return events.LineIgnored
	default:
		return p.Unknown("item_completed/", kind)
	}
	return events.LineOK
}

// completedCall gives the result of a call that the model made, or, of one that only a script made, both at once.
func (p *Parser) completedCall(kind string, r *record) {
	m, id := r.item, r.item.Get("id")
	o := p.completedOutcome(kind, m)
	o.at = moment(r.body.Get("completed_at_ms"))
	if began := moment(r.body.Get("started_at_ms")); o.duration == 0 && !began.IsZero() && o.at.After(began) {
		o.duration = o.at.Sub(began)
	}
	c := p.callOf(id)
	switch {
	case c.wasCalled() && c.answered:
		p.lateEnd(c, id, &o)
		return
	case !c.wasCalled() && m.Get("source").Is("user_shell"):
		return // typed by the user, not called by the agent
	case !c.wasCalled():
		inv := p.completedInvocation(kind, m)
		inv.at = moment(r.body.Get("started_at_ms"))
		c = p.callFor(id)
		p.beginCall(c, &inv)
	}
	if m.Get("status").Kind != scan.KindString {
		return
	}
	p.completedText(kind, m, &o)
	if kind == "CollabAgentToolCall" {
		if m.Get("tool").Is("spawn_agent") && !o.failed {
			p.spawned(p.firstString(m.Get("receiver_thread_ids")), id)
			o.state = events.ToolStateBackground
		}
		p.agentStates(m.Get("agents_states"))
		if m.Get("tool").Is("send_input") && !o.failed { // the states are those before
			p.asked(p.firstString(m.Get("receiver_thread_ids")), id)
		}
	}
	p.endCall(c, id, &o)
}

// lateEnd reports the end of work that went on after the call was answered: a command that was left running, or that an
// interruption ended.
func (p *Parser) lateEnd(c *call, id scan.Value, o *outcome) {
	if c.over || !c.background && !o.failed {
		return
	}
	c.over = true
	e := p.Emit(events.KindToolProgress)
	if !o.at.IsZero() {
		e.Time = o.at
	}
	e.Tool = events.Tool{
		ID: p.callID.Text(&p.Strings, id), Name: c.name, State: events.ToolStateCompleted, Error: o.failed,
		ExitCode: o.code, HasExitCode: o.hasCode, Duration: o.duration,
	}
	switch {
	case o.hasCode && o.code == -1: // killed with its session
		e.Tool.State = events.ToolStateStopped
	case o.failed:
		e.Tool.State = events.ToolStateFailed
	}
}

// completedInvocation reads a call that has no response item, under the name that the tool has
// when the model calls it.
func (p *Parser) completedInvocation(kind string, m scan.Members) invocation {
	inv := invocation{id: m.Get("id"), script: true}
	switch kind {
	case "CommandExecution":
		inv.name, inv.input = "exec_command", m.Get("command")
		if m.Get("source").Is("unified_exec_interaction") {
			inv.name = "write_stdin"
		} else {
			inv.target = p.command(inv.input)
		}
	case "FileChange":
		inv.name, inv.input = "apply_patch", m.Get("changes")
		inv.target = p.firstPath(inv.input)
	case "CollabAgentToolCall":
		inv.name, inv.input = p.toolName(m.Get("tool")), m.Get("prompt")
		if inv.name == "wait" { // the item's name for wait_agent
			inv.name = "wait_agent"
		}
		inv.target = p.Strings.Text(inv.input)
	default:
		inv.name, inv.server = p.toolName(m.Get("tool")), p.Strings.Intern(m.Get("server"))
		inv.input = m.Get("arguments")
		p.args = p.Scanner.MembersOf(inv.input, p.args[:0])
		inv.target = p.generalTarget(p.args)
	}
	inv.body = inv.input.Raw
	return inv
}

func (p *Parser) completedOutcome(kind string, m scan.Members) outcome {
	var o outcome
	o.status(m.Get("status"))
	o.exit(m.Get("exit_code"))
	o.duration = p.span(m.Get("duration"))
	if kind == "McpToolCall" && isPresent(m.Get("error")) {
		o.failed = true
	}
	return o
}

// completedText reads the text of a result, for items that have one.
func (p *Parser) completedText(kind string, m scan.Members, o *outcome) {
	switch kind {
	case "CommandExecution":
		o.take(&p.Output, m.Get("aggregated_output"))
	case "FileChange":
		o.take(&p.Output, m.Get("stdout"))
		o.err = p.Strings.Text(m.Get("stderr"))
	case "McpToolCall":
		o.text = p.mcpText(m.Get("result"))
		if v := m.Get("error"); isPresent(v) {
			o.err = p.errorText(v)
		}
	case "DynamicToolCall":
		o.text = p.contentText(m.Get("content_items"))
	case "CollabAgentToolCall":
		o.text = p.agentWords(m.Get("agents_states"))
	}
}

// isPresent reports whether a value is there, and no null.
func isPresent(v scan.Value) bool { return v.Exists() && v.Kind != scan.KindNull }

// activity reports a sub-agent of the second kind, whose tools are answered before their work begins.
func (p *Parser) activity(m scan.Members) {
	thread, id, kind := p.Strings.Text(m.Get("agent_thread_id")), m.Get("id"), m.Get("kind")
	if kind.Is("interacted") {
		p.asked(thread, id)
		return
	}
	if !kind.Is("started") {
		p.agentState(thread, agentStateOf(kind.Body()), "")
		return
	}
	if !p.callOf(id).wasCalled() {
		inv := invocation{id: id, name: "spawn_agent", agentType: lastOf(p.Strings.Text(m.Get("agent_path"))), body: id.Raw, script: true}
		p.begin(&inv)
		p.spawned(thread, id)
		p.end(id, &outcome{state: events.ToolStateBackground})
		return
	}
	p.spawned(thread, id)
	e := p.Emit(events.KindToolProgress)
	e.Tool.ID, e.Tool.State, e.Tool.AgentID = p.Strings.Text(id), events.ToolStateRunning, thread
}
