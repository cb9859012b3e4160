package codex

import (
	"bytes"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/cause"
	"github.com/tailspan/tailspan/parser/internal/command"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Codes of notices that only Codex emits.
const (
	noticeWarning   = "warning"
	noticeError     = "error"
	noticeRateLimit = "rate_limit"
	noticeRollback  = "rollback"
)

// isStreamKind distinguishes the line types of `codex exec --json` from the types of bare items in R1.
func isStreamKind(kind []byte) bool {
	return bytes.IndexByte(kind, '.') >= 0 || string(kind) == "error"
}

// stream is what codex exec --json writes (E2, E3).
type stream struct {
	*line
	threads   *threads
	calls     *calls
	arguments *arguments
	outputs   *outputs
	agents    *agents
	ledger    *ledger
}

// streamLine emits the events of one line of E2 or E3.
func (st *stream) streamLine(r *record) events.LineStatus {
	kind := r.kind.Body()
	switch string(kind) {
	case "thread.started", "session.created":
		st.threadStarted(r, string(kind) == "thread.started")
	case "turn.started":
		st.open, st.marked = true, true
		st.answer = ""
		st.Emit(events.KindTurnStarted)
	case "item.started", "item.updated", "item.completed":
		if !r.hasItem {
			return events.LineOK
		}
		return st.item(string(kind), r.item)
	case "turn.completed":
		st.ledger.threadUsage(r.top.Get("usage"))
		st.Emit(events.KindSessionEnded).End = &events.End{Result: st.answer}
		st.endRun()
	case "turn.failed":
		st.Nested = st.Scanner.MembersOf(r.top.Get("error"), st.Nested[:0])
		st.failed(st.Strings.Text(st.Nested.Get("message")))
		st.endRun()
	case "error":
		st.streamError(st.Strings.Text(r.top.Get("message")))
	case "item.plan.delta":
		return events.LineIgnored
	default:
		return st.Unknown("", kind)
	}
	return events.LineOK
}

// threadStarted opens a run.
func (st *stream) threadStarted(r *record, promisesEnd bool) {
	id := st.Strings.Text(r.top.AnyOf("thread_id", "session_id"))
	st.threads.begins(thread{id: id, session: id})
	st.open = promisesEnd
	st.Emit(events.KindSessionStarted).Session = &events.Session{}
}

// failed ends a run with a failure, which streams report only as text.
func (st *stream) failed(text string) {
	st.Emit(events.KindSessionEnded).End = &events.End{Error: true, Err: text, Cause: cause.Of(0, text)}
}

// endRun closes the turn of a stream.
func (st *stream) endRun() { st.open, st.answer = false, "" }

// reconnecting begins the message of a retry, which has the same type as a failure.
const reconnecting = "Reconnecting..."

// streamError handles an error line: a retry, or the failure that turn.failed repeats.
func (st *stream) streamError(text string) {
	if len(text) >= len(reconnecting) && text[:len(reconnecting)] == reconnecting {
		st.Notice(events.LevelWarn, events.NoticeAPIRetry, text)
		return
	}
	st.Notice(events.LevelError, noticeError, text)
}

// item emits the events of one snapshot of an item. Texts appear once, complete; a call is emitted at its first line.
func (st *stream) item(phase string, m scan.Members) events.LineStatus {
	kind := m.AnyOf("type", "item_type")
	completed := phase == "item.completed"
	switch string(kind.Body()) {
	case "agent_message", "assistant_message":
		if text := st.Strings.Text(m.Get("text")); completed && !lines.Blank(text) {
			st.text(scan.Value{}, text)
			st.answer = text
		}
	case "reasoning":
		if completed {
			st.reasoning(scan.Value{}, st.Strings.Text(m.Get("text")))
		}
	case "error":
		if completed {
			st.Notice(events.LevelWarn, noticeWarning, st.Strings.Text(m.Get("message")))
		}
	case "command_execution", "file_change", "mcp_tool_call", "web_search", "todo_list", "collab_tool_call":
		st.itemCall(st.Strings.Intern(kind), phase, m) // also the name of most tools
	default:
		return st.Unknown("item/", kind.Body())
	}
	return events.LineOK
}

// text emits a text that is not blank. If no line marks the end of a turn (E1, E2, R1, R2), any text may be
// the last one.
func (l *line) text(item scan.Value, text string) {
	if lines.Blank(text) {
		return
	}
	e := l.emitModel(events.KindText, item)
	e.Text = text
	if !l.marked {
		e.Sign = events.Sign{Outcome: events.OutcomeOK, Weak: true}
	}
}

func (l *line) reasoning(item scan.Value, text string) {
	if !lines.Blank(text) {
		l.emitModel(events.KindReasoning, item).Text = text
	}
}

// itemCall emits a call at the first line of its item, and its result at the line that completes it. After the
// result, a started line begins another call, and a completed line is a repetition.
func (st *stream) itemCall(kind, phase string, m scan.Members) {
	id := m.First("id")
	completed := phase == "item.completed"
	if len(id.Body()) == 0 && !completed {
		return // nothing shows which lines belong together
	}
	c := st.calls.callFor(id)
	if !c.called || c.answered && phase == "item.started" {
		inv := st.itemInvocation(kind, id, m)
		if kind == "web_search" && inv.target == "" && !completed {
			return // only the completed item has the query
		}
		st.calls.beginCall(c, &inv)
	}
	if !completed {
		return
	}
	o := st.itemOutcome(kind, m)
	if !st.calls.endCall(c, id, &o) || kind != "collab_tool_call" {
		return
	}
	st.agents.spawned(o.agent, id)
	st.agents.agentStates(m.Get("agents_states"))
}

// itemInvocation reads the call of an item.
func (st *stream) itemInvocation(kind string, id scan.Value, m scan.Members) invocation {
	inv := invocation{id: id, name: kind}
	switch kind {
	case "command_execution":
		inv.input = m.Get("command")
		inv.target = command.Line(&st.Decoder, inv.input)
	case "file_change":
		inv.input = m.Get("changes")
		inv.target = st.arguments.firstPath(inv.input)
	case "mcp_tool_call":
		inv.name = st.toolName(m.Get("tool"))
		inv.server = st.Strings.Intern(m.Get("server"))
		inv.input = m.Get("arguments")
		args := st.arguments.argsOf(inv.input)
		inv.target = st.arguments.target(inv.name, args)
	case "web_search":
		inv.input = m.Get("action")
		inv.target = st.Strings.Text(m.Get("query"))
	case "todo_list":
		inv.input = m.Get("items")
	case "collab_tool_call":
		inv.name = st.toolName(m.Get("tool"))
		inv.input = m.Get("prompt")
		inv.target = st.Strings.Text(inv.input)
	}
	switch kind {
	case "mcp_tool_call", "web_search", "collab_tool_call":
		inv.readOnly = tools[inv.name].readOnly && inv.server == ""
	}
	return inv
}

// itemOutcome reads the result in a completed item.
func (st *stream) itemOutcome(kind string, m scan.Members) outcome {
	var o outcome
	o.status(m.Get("status"))
	o.exit(m.Get("exit_code"))
	switch kind {
	case "command_execution":
		o.take(&st.Output, m.Get("aggregated_output"))
	case "mcp_tool_call":
		o.text = st.outputs.mcpText(m.Get("result"))
	case "collab_tool_call":
		o.text = st.agents.agentWords(m.Get("agents_states"))
		if m.Get("tool").Is("spawn_agent") {
			o.agent = st.arguments.firstString(m.Get("receiver_thread_ids"))
			o.state = events.ToolStateBackground
		}
	}
	if v := m.Get("error"); isPresent(v) {
		o.failed = true
		o.err = st.errorText(v)
	}
	return o
}

// errorText returns the message of an error object, or the error itself if it is a text.
func (l *line) errorText(v scan.Value) string {
	if v.Kind == scan.KindString {
		return l.Strings.Text(v)
	}
	l.Nested = l.Scanner.MembersOf(v, l.Nested[:0])
	return l.Strings.Text(l.Nested.Get("message"))
}

// message emits the events of one message of E1, {"id":"0","msg":{"type":...}}. The ID is that of the prompt and
// restarts at 0 in each run, so it identifies nothing.
func (p *Parser) message(r *record) events.LineStatus {
	m := r.body
	kind := m.Get("type").Body()
	switch string(kind) {
	case "task_started", "turn_started":
		p.Emit(events.KindTurnStarted)
	case "agent_message":
		p.text(scan.Value{}, p.Strings.Text(m.Get("message")))
	case "agent_reasoning", "agent_reasoning_raw_content":
		p.reasoning(scan.Value{}, p.Strings.Text(m.Get("text")))
	case "exec_command_begin", "patch_apply_begin", "mcp_tool_call_begin":
		p.completions.callBegun(string(kind), m)
	case "exec_command_end", "patch_apply_end", "mcp_tool_call_end":
		p.completions.callEnded(string(kind), m)
	case "web_search_end", "view_image_tool_call":
		p.calls.done(string(kind), m)
	case "plan_update":
		p.planUpdate(m)
	case "token_count":
		p.ledger.tokenCount(m, false)
		p.rollout.rateLimits(m.Get("rate_limits"))
	case "session_configured":
		p.sessionConfigured(m)
	case "exec_approval_request", "apply_patch_approval_request":
		p.approval(string(kind), m)
	case "task_complete", "turn_complete": // not printed by the captured versions
		p.Emit(events.KindSessionEnded).End = &events.End{Result: p.Strings.Text(m.Get("last_agent_message"))}
	case "error": // the only end in E1; the program then exits with 0
		p.stream.failed(p.Strings.Text(m.Get("message")))
	case "turn_aborted":
		p.rollout.turnAborted(m)
	default:
		return p.rollout.programNotice(string(kind), m)
	}
	return events.LineOK
}

// planUpdate emits a new plan, which has neither an ID nor an end.
func (p *Parser) planUpdate(m scan.Members) {
	inv := invocation{name: "plan_update", input: m.Get("plan")}
	inv.target = p.arguments.stepInProgress(inv.input)
	p.calls.begin(&inv)
	p.calls.end(scan.Value{}, &outcome{name: inv.name})
}

// sessionConfigured emits the session, unless the config line did.
func (p *Parser) sessionConfigured(m scan.Members) {
	configured := p.thread.model != ""
	id := p.Strings.Text(m.AnyOf("session_id", "thread_id"))
	p.thread.id, p.thread.session = id, id
	p.setModel(m.Get("model"))
	if !configured {
		e := p.Emit(events.KindSessionStarted)
		e.Model, e.Session = p.thread.model, &events.Session{WorkingDir: p.Strings.Text(m.Get("cwd"))}
	}
}

// approval reports a call that is waiting for permission.
func (p *Parser) approval(kind string, m scan.Members) {
	a := &events.Approval{ID: p.Strings.Text(m.Get("call_id")), Tool: "patch_apply"}
	if kind == "exec_approval_request" {
		a.Tool, a.Subject = "exec_command", command.Line(&p.Decoder, m.Get("command"))
	} else {
		a.Subject = p.arguments.firstPath(m.Get("changes"))
	}
	p.Emit(events.KindApprovalRequest).Approval = a
}

// quietEvent lists the known events that yield nothing, or nothing new: pieces of texts and outputs that also come whole,
// copies of response items, requests of a UI.
func quietEvent(kind string) bool {
	switch kind {
	case "agent_message", "agent_message_content_delta", "agent_message_delta", "agent_reasoning", "agent_reasoning_delta",
		"agent_reasoning_raw_content", "agent_reasoning_raw_content_delta", "agent_reasoning_section_break",
		"apply_patch_approval_request", "collab_agent_interaction_begin", "collab_agent_interaction_end",
		"collab_agent_spawn_begin", "collab_agent_spawn_end", "collab_close_begin", "collab_close_end",
		"collab_resume_begin", "collab_resume_end", "collab_waiting_begin", "collab_waiting_end", "context_compacted",
		"conversation_path", "dynamic_tool_call_request", "elicitation_request", "exec_approval_request", "exec_command_begin",
		"exec_command_output_delta", "get_history_entry_response", "guardian_assessment", "hook_completed", "hook_started",
		"image_generation_begin", "item_started", "list_custom_prompts_response", "list_skills_response", "mcp_list_tools_response",
		"mcp_startup_complete", "mcp_startup_update", "mcp_tool_call_begin", "patch_apply_begin", "patch_apply_updated",
		"plan_delta", "plan_update", "raw_response_item", "reasoning_content_delta", "reasoning_raw_content_delta",
		"request_permissions", "request_user_input", "session_configured", "shutdown_complete", "skills_update_available",
		"sub_agent_activity", "terminal_interaction", "thread_goal_updated", "thread_name_updated", "turn_diff",
		"turn_moderation_metadata", "undo_completed", "undo_started", "user_message", "web_search_begin":
		return true
	}
	return false
}
