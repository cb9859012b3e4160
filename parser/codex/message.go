package codex

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// message gives the events of one message of E1, {"id":"0","msg":{"type":...}}. The id is that of the prompt and counts
// from 0 in each run, so it names nothing.
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
		p.callBegun(string(kind), m)
	case "exec_command_end", "patch_apply_end", "mcp_tool_call_end":
		p.callEnded(string(kind), m)
	case "web_search_end", "view_image_tool_call":
		p.done(string(kind), m)
	case "plan_update":
		p.planUpdate(m)
	case "token_count":
		p.tokenCount(m, false)
		p.rateLimits(m.Get("rate_limits"))
	case "session_configured":
		p.sessionConfigured(m)
	case "exec_approval_request", "apply_patch_approval_request":
		p.approval(string(kind), m)
	case "task_complete", "turn_complete": // not printed by the versions captured
		p.Emit(events.KindSessionEnded).End = &events.End{Result: p.Strings.Text(m.Get("last_agent_message"))}
	case "error": // the only end that E1 has; the program goes on to exit with 0
		p.failed(p.Strings.Text(m.Get("message")))
	case "turn_aborted":
		p.turnAborted(m)
	default:
		return p.word(string(kind), m)
	}
	return events.LineOK
}

// planUpdate gives a new plan, which has neither an id nor an end.
func (p *Parser) planUpdate(m scan.Members) {
	inv := invocation{name: "plan_update", input: m.Get("plan")}
	inv.target = p.stepInProgress(inv.input)
	p.begin(&inv)
	p.end(scan.Value{}, &outcome{name: inv.name})
}

// sessionConfigured emits the session, where the config line before it did not.
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

// approval reports a call that waits for leave.
func (p *Parser) approval(kind string, m scan.Members) {
	a := &events.Approval{ID: p.Strings.Text(m.Get("call_id")), Tool: "patch_apply"}
	if kind == "exec_approval_request" {
		a.Tool, a.Subject = "exec_command", p.command(m.Get("command"))
	} else {
		a.Subject = p.firstPath(m.Get("changes"))
	}
	p.Emit(events.KindApprovalRequest).Approval = a
}

// quietEvent lists the events that are known and have nothing, or nothing new, for a reader of what the agent did: pieces
// of texts and outputs that come whole, the copies of response items, requests of a UI.
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
