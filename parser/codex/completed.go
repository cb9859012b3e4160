package codex

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/command"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// completions handles the ends of calls that a rollout and E1 report in addition to the response items.
type completions struct {
	*line
	calls     *calls
	arguments *arguments
	outputs   *outputs
	agents    *agents
}

// itemCompleted reads an item in the form that a UI receives (R4). It has the result of a call before the output
// and in more detail, and it is the only source of calls that a script of code mode makes.
func (co *completions) itemCompleted(r *record) events.LineStatus {
	m := r.item
	kind := m.Get("type").Body()
	switch string(kind) {
	case "AgentMessage":
		if id := m.Get("id"); len(id.Body()) > 0 {
			co.shown.Set(co.Keys.ID(domainMessage, id.Body()), struct{}{})
		}
		return events.LineIgnored
	case "CommandExecution", "FileChange", "McpToolCall", "DynamicToolCall", "CollabAgentToolCall":
		co.completedCall(string(kind), r)
	case "WebSearch", "ImageView", "ImageGeneration":
		if co.calls.callOf(m.Get("id")).wasCalled() {
			return events.LineIgnored // the result is its output: this item has no status
		}
		if string(kind) != "ImageView" {
			co.modelItem(m)
		}
		inv := co.calls.doneInvocation(string(kind), m)
		inv.script = string(kind) == "ImageView" // the model's own call has an earlier response item
		inv.at = moment(r.body.Get("started_at_ms"))
		co.calls.once(&inv, &outcome{at: moment(r.body.Get("completed_at_ms"))})
	case "SubAgentActivity":
		co.activity(m)
	case "UserMessage", "HookPrompt", "Plan", "Reasoning", "ContextCompaction", "EnteredReviewMode", "ExitedReviewMode", "Sleep":
		return events.LineIgnored
	default:
		return co.Unknown("item_completed/", kind)
	}
	return events.LineOK
}

// completedCall emits the result of a call. If only a script made the call, it emits the call too.
func (co *completions) completedCall(kind string, r *record) {
	m, id := r.item, r.item.Get("id")
	o := co.completedOutcome(kind, m)
	o.at = moment(r.body.Get("completed_at_ms"))
	if began := moment(r.body.Get("started_at_ms")); o.duration == 0 && !began.IsZero() && o.at.After(began) {
		o.duration = o.at.Sub(began)
	}
	c := co.calls.callOf(id)
	switch {
	case c.wasCalled() && c.answered:
		co.lateEnd(c, id, &o)
		return
	case !c.wasCalled() && m.Get("source").Is("user_shell"):
		return // typed by the user, not called by the agent
	case !c.wasCalled():
		inv := co.completedInvocation(kind, m)
		inv.at = moment(r.body.Get("started_at_ms"))
		c = co.calls.callFor(id)
		co.calls.beginCall(c, &inv)
	}
	if m.Get("status").Kind != scan.KindString {
		return
	}
	co.completedText(kind, m, &o)
	if kind == "CollabAgentToolCall" {
		if m.Get("tool").Is("spawn_agent") && !o.failed {
			co.agents.spawned(co.arguments.firstString(m.Get("receiver_thread_ids")), id)
			o.state = events.ToolStateBackground
		}
		co.agents.agentStates(m.Get("agents_states"))
		if m.Get("tool").Is("send_input") && !o.failed { // agents_states is from before the message
			co.agents.asked(co.arguments.firstString(m.Get("receiver_thread_ids")), id)
		}
	}
	co.calls.endCall(c, id, &o)
}

// lateEnd reports the end of work that continued after the call was answered: of a command that was left running or
// that an interruption ended.
func (co *completions) lateEnd(c *call, id scan.Value, o *outcome) {
	if c.work == workOver || c.work == workDone && !o.failed {
		return
	}
	c.work = workOver
	e := co.Emit(events.KindToolProgress)
	if !o.at.IsZero() {
		e.Time = o.at
	}
	e.Tool = events.Tool{
		ID: co.callID.Text(&co.Strings, id), Name: c.name, State: events.ToolStateCompleted, Error: o.failed,
		ExitCode: o.code, HasExitCode: o.hasCode, Duration: o.duration,
	}
	switch {
	case o.hasCode && o.code == -1: // killed with its session
		e.Tool.State = events.ToolStateStopped
	case o.failed:
		e.Tool.State = events.ToolStateFailed
	}
}

// completedInvocation reads a call that has no response item. It uses the name that the tool has when the
// model calls it.
func (co *completions) completedInvocation(kind string, m scan.Members) invocation {
	inv := invocation{id: m.Get("id"), script: true}
	switch kind {
	case "CommandExecution":
		inv.name, inv.input = "exec_command", m.Get("command")
		if m.Get("source").Is("unified_exec_interaction") {
			inv.name = "write_stdin"
		} else {
			inv.target = command.Line(&co.Decoder, inv.input)
		}
	case "FileChange":
		inv.name, inv.input = "apply_patch", m.Get("changes")
		inv.target = co.arguments.firstPath(inv.input)
	case "CollabAgentToolCall":
		inv.name, inv.input = co.toolName(m.Get("tool")), m.Get("prompt")
		if inv.name == "wait" { // the item's name for wait_agent
			inv.name = "wait_agent"
		}
		inv.target = co.Strings.Text(inv.input)
	default:
		inv.name, inv.server = co.toolName(m.Get("tool")), co.Strings.Intern(m.Get("server"))
		inv.input = m.Get("arguments")
		args := co.arguments.argsOf(inv.input)
		inv.target = co.arguments.generalTarget(args)
	}
	inv.body = inv.input.Raw
	return inv
}

func (co *completions) completedOutcome(kind string, m scan.Members) outcome {
	var o outcome
	o.status(m.Get("status"))
	o.exit(m.Get("exit_code"))
	o.duration = co.span(m.Get("duration"))
	if kind == "McpToolCall" && isPresent(m.Get("error")) {
		o.failed = true
	}
	return o
}

// completedText reads the text of a result, for items that have one.
func (co *completions) completedText(kind string, m scan.Members, o *outcome) {
	switch kind {
	case "CommandExecution":
		o.take(&co.Output, m.Get("aggregated_output"))
	case "FileChange":
		o.take(&co.Output, m.Get("stdout"))
		o.err = co.Strings.Text(m.Get("stderr"))
	case "McpToolCall":
		o.text = co.outputs.mcpText(m.Get("result"))
		if v := m.Get("error"); isPresent(v) {
			o.err = co.errorText(v)
		}
	case "DynamicToolCall":
		o.text = co.outputs.contentText(m.Get("content_items"))
	case "CollabAgentToolCall":
		o.text = co.agents.agentWords(m.Get("agents_states"))
	}
}

// isPresent reports whether a value exists and is not null.
func isPresent(v scan.Value) bool { return v.Exists() && v.Kind != scan.KindNull }

// activity reports a sub-agent of the second kind, whose tools return before its work begins.
func (co *completions) activity(m scan.Members) {
	thread, id, kind := co.Strings.Text(m.Get("agent_thread_id")), m.Get("id"), m.Get("kind")
	if kind.Is("interacted") {
		co.agents.asked(thread, id)
		return
	}
	if !kind.Is("started") {
		co.agents.agentState(thread, agentStateOf(kind.Body()), "")
		return
	}
	if !co.calls.callOf(id).wasCalled() {
		inv := invocation{id: id, name: "spawn_agent", agentType: lastOf(co.Strings.Text(m.Get("agent_path"))), body: id.Raw, script: true}
		co.calls.begin(&inv)
		co.agents.spawned(thread, id)
		co.calls.end(id, &outcome{state: events.ToolStateBackground})
		return
	}
	co.agents.spawned(thread, id)
	e := co.Emit(events.KindToolProgress)
	e.Tool.ID, e.Tool.State, e.Tool.AgentID = co.Strings.Text(id), events.ToolStateRunning, thread
}

// The begin and end events of calls. Streams of E1 have both; the rollouts that some programs around Codex keep, in
// more detail than the command line does, have only the end.

// callBegun emits a call of E1.
func (co *completions) callBegun(kind string, m scan.Members) {
	inv := co.eventInvocation(kind, m)
	co.calls.begin(&inv)
}

// callEnded emits the result of a call. In a rollout it also emits the call if only a script made it.
func (co *completions) callEnded(kind string, m scan.Members) {
	id := m.Get("call_id")
	c := co.calls.callOf(id)
	answered := c.wasAnswered()
	if !co.record.hasMsg && !c.wasCalled() {
		if m.Get("source").Is("user_shell") {
			return
		}
		inv := co.eventInvocation(kind, m)
		inv.script = true
		co.calls.begin(&inv)
	}
	o := co.eventOutcome(kind, m)
	if answered {
		co.lateEnd(c, id, &o)
		return
	}
	co.calls.end(id, &o)
}

// eventName returns the name of a call's tool: the name of the event in E1, the model's name for it in a rollout.
func (co *completions) eventName(kind string) string {
	switch kind {
	case "exec_command_begin", "exec_command_end":
		return "exec_command"
	case "patch_apply_begin", "patch_apply_end":
		if co.record.hasMsg {
			return "patch_apply"
		}
		return "apply_patch"
	}
	return ""
}

func (co *completions) eventInvocation(kind string, m scan.Members) invocation {
	inv := invocation{id: m.Get("call_id"), name: co.eventName(kind)}
	switch inv.name {
	case "exec_command":
		inv.input = m.Get("command")
		inv.target = command.Line(&co.Decoder, inv.input)
	case "":
		from := m
		if called := m.Get("invocation"); called.Kind == scan.KindObject {
			co.Nested = co.Scanner.MembersOf(called, co.Nested[:0])
			from = co.Nested
		}
		inv.name, inv.server = co.toolName(from.Get("tool")), co.Strings.Intern(from.Get("server"))
		inv.input = from.Get("arguments")
		args := co.arguments.argsOf(inv.input)
		inv.target = co.arguments.generalTarget(args)
	default:
		inv.input = m.Get("changes")
		inv.target = co.arguments.firstPath(inv.input)
	}
	inv.body = inv.input.Raw
	return inv
}

func (co *completions) eventOutcome(kind string, m scan.Members) outcome {
	o := outcome{name: co.eventName(kind), duration: co.span(m.Get("duration"))}
	o.status(m.Get("status"))
	o.exit(m.Get("exit_code"))
	o.failed = o.failed || m.Get("success").Kind == scan.KindFalse
	switch kind {
	case "exec_command_end":
		if v := m.Get("aggregated_output"); v.Kind == scan.KindString {
			o.take(&co.Output, v)
			break
		}
		o.take(&co.Output, m.Get("stdout"), m.Get("stderr"))
	case "patch_apply_end":
		o.take(&co.Output, m.Get("stdout"))
		o.err = co.Strings.Text(m.Get("stderr"))
	case "mcp_tool_call_end":
		co.outputs.mcpOutcome(&o, m.Get("result"))
	default:
		o.text = co.outputs.contentText(m.Get("content_items"))
		o.err = co.Strings.Text(m.Get("error"))
	}
	return o
}

// mcpOutcome reads the result of an MCP call in Rust's form: {"Ok":{"content":[...],"isError":true}} or {"Err":"..."}.
func (ou *outputs) mcpOutcome(o *outcome, result scan.Value) {
	ou.Nested = ou.Scanner.MembersOf(result, ou.Nested[:0])
	if v := ou.Nested.Get("Err"); v.Exists() {
		o.failed, o.err = true, ou.errorText(v)
		return
	}
	ou.Nested = ou.Scanner.MembersOf(ou.Nested.Get("Ok"), ou.Nested[:0])
	o.failed = o.failed || ou.Nested.AnyOf("isError", "is_error").True()
	o.text = ou.contentText(ou.Nested.Get("content"))
}
