package codex

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// itemCompleted reads an item as a UI gets it (R4). It tells the result of a call before its output does and more of it,
// and it is the only word of the calls that a script of code mode makes.
func (p *Parser) itemCompleted(r *record) events.LineStatus {
	m := r.item
	kind := m.get("type").Body()
	switch string(kind) {
	case "AgentMessage":
		if id := m.get("id"); len(id.Body()) > 0 {
			p.shown.Set(p.idHash(domainMessage, id), struct{}{})
		}
		return events.LineIgnored
	case "CommandExecution", "FileChange", "McpToolCall", "DynamicToolCall", "CollabAgentToolCall":
		p.completedCall(string(kind), r)
	case "WebSearch", "ImageView", "ImageGeneration":
		if c, _ := p.callOf(m.get("id")); c.called {
			return events.LineIgnored // its output is the result: this tells no status
		}
		if string(kind) != "ImageView" {
			p.modelItem(m)
		}
		inv := p.doneInvocation(string(kind), m)
		inv.script = string(kind) == "ImageView" // the model's own has a response item before it
		inv.at = moment(r.body.get("started_at_ms"))
		p.once(inv, &outcome{at: moment(r.body.get("completed_at_ms"))})
	case "SubAgentActivity":
		p.activity(m)
	case "UserMessage", "HookPrompt", "Plan", "Reasoning", "ContextCompaction", "EnteredReviewMode", "ExitedReviewMode", "Sleep":
		return events.LineIgnored
	default:
		return p.unknownType("item_completed/", kind)
	}
	return events.LineOK
}

// completedCall gives the result of a call that the model made, or, of one that only a script made, both at once.
func (p *Parser) completedCall(kind string, r *record) {
	m, id := r.item, r.item.get("id")
	o := p.completedOutcome(kind, m)
	o.at = moment(r.body.get("completed_at_ms"))
	if began := moment(r.body.get("started_at_ms")); o.duration == 0 && !began.IsZero() && o.at.After(began) {
		o.duration = o.at.Sub(began)
	}
	c, _ := p.callOf(id)
	switch {
	case !c.called && m.get("source").Is("user_shell"):
		return // typed by the user, not called by the agent
	case !c.called:
		inv := p.completedInvocation(kind, m)
		inv.at = moment(r.body.get("started_at_ms"))
		p.begin(&inv)
	case c.answered:
		p.lateEnd(id, &o)
		return
	}
	if m.get("status").Kind != scan.KindString {
		return
	}
	if kind == "CollabAgentToolCall" {
		if m.get("tool").Is("spawn_agent") && !o.failed {
			p.spawned(p.firstString(m.get("receiver_thread_ids")), id)
			o.state = events.ToolStateBackground
		}
		p.agentStates(m.get("agents_states"))
	}
	p.end(id, &o)
}

// lateEnd tells the end of work that went on after the call was answered: a command that was left running, or that an
// interruption ended.
func (p *Parser) lateEnd(id scan.Value, o *outcome) {
	c, key := p.callOf(id)
	if c.over || !c.background && !o.failed {
		return
	}
	c.over = true
	p.calls.Set(key, c)
	e := p.emit(events.KindToolProgress)
	if !o.at.IsZero() {
		e.Time = o.at
	}
	e.Tool = events.Tool{
		ID: p.strings.Text(id), Name: c.name, State: events.ToolStateCompleted, Error: o.failed,
		ExitCode: o.code, HasExitCode: o.hasCode, Duration: o.duration,
	}
	switch {
	case o.hasCode && o.code == -1: // killed with its session
		e.Tool.State = events.ToolStateStopped
	case o.failed:
		e.Tool.State = events.ToolStateFailed
	}
}

// completedInvocation reads what an item tells of a call that has no response item, under the name that the tool has
// when the model calls it.
func (p *Parser) completedInvocation(kind string, m members) invocation {
	inv := invocation{id: m.get("id"), script: true}
	switch kind {
	case "CommandExecution":
		inv.name, inv.input = "exec_command", m.get("command")
		if m.get("source").Is("unified_exec_interaction") {
			inv.name = "write_stdin"
		} else {
			inv.target = p.command(inv.input)
		}
	case "FileChange":
		inv.name, inv.input = "apply_patch", m.get("changes")
		inv.target = p.firstPath(inv.input)
	case "CollabAgentToolCall":
		inv.name, inv.input = p.toolName(m.get("tool")), m.get("prompt")
		if inv.name == "wait" { // the item's name for wait_agent
			inv.name = "wait_agent"
		}
		inv.target = p.strings.Text(inv.input)
	default:
		inv.name, inv.server = p.toolName(m.get("tool")), p.strings.Intern(m.get("server"))
		inv.input = m.get("arguments")
		p.args = readMembers(&p.inner, p.args, inv.input)
		inv.target = p.generalTarget(p.args)
	}
	inv.body = inv.input.Raw
	return inv
}

func (p *Parser) completedOutcome(kind string, m members) outcome {
	var o outcome
	o.status(m.get("status"))
	o.exit(m.get("exit_code"))
	o.duration = p.span(m.get("duration"))
	switch kind {
	case "CommandExecution":
		o.text = p.outputText(m.get("aggregated_output"))
	case "FileChange":
		o.text = p.outputText(m.get("stdout"))
		o.err = p.strings.Text(m.get("stderr"))
	case "McpToolCall":
		o.text = p.mcpText(m.get("result"))
		if v := m.get("error"); v.Exists() && v.Kind != scan.KindNull {
			o.failed, o.err = true, p.errorText(v)
		}
	case "DynamicToolCall":
		o.text = p.contentText(m.get("content_items"))
	case "CollabAgentToolCall":
		o.text = p.agentWords(m.get("agents_states"))
	}
	return o
}

// activity tells of a sub-agent of the second kind, whose tools are answered before their work begins.
func (p *Parser) activity(m members) {
	thread, id, kind := p.strings.Text(m.get("agent_thread_id")), m.get("id"), m.get("kind")
	if !kind.Is("started") {
		p.agentState(thread, agentStateOf(kind.Body()), "")
		return
	}
	if c, _ := p.callOf(id); !c.called {
		inv := invocation{id: id, name: "spawn_agent", agentType: p.strings.Text(m.get("agent_path")), body: id.Raw, script: true}
		p.begin(&inv)
		p.spawned(thread, id)
		p.end(id, &outcome{state: events.ToolStateBackground})
		return
	}
	p.spawned(thread, id)
	e := p.emit(events.KindToolProgress)
	e.Tool.ID, e.Tool.State, e.Tool.AgentID = p.strings.Text(id), events.ToolStateRunning, thread
}
