package qwen

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/cause"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// noticeModelFallback is the code of a fallback to another model.
const noticeModelFallback = "model_fallback"

// system handles the lines that the program writes about itself. In a stream their content is in data, in a
// transcript in systemPayload.
func (p *Parser) system(r *sdkstream.Envelope) events.LineStatus {
	payload := r.Rest.Get("systemPayload")
	if !r.Transcript {
		payload = r.Rest.Get("data")
	}
	subtype := r.Subtype.Body()
	switch string(subtype) {
	case "init":
		p.init(r)
	case "ui_telemetry":
		p.uiTelemetry(payload)
	case "chat_compression":
		p.compression(payload)
	case "turn_result":
		p.turnResult(payload)
	case "task_started", "task_notification":
		p.task(payload, string(subtype))
	case "retry":
		p.retry(payload)
	case "model_fallback":
		p.Members(payload)
		p.Notice(events.LevelWarn, noticeModelFallback, "model "+p.Strings.Text(p.Nested.Get("fromModel"))+" failed, going on with "+p.Strings.Text(p.Nested.Get("toModel")))
	case "continue_turn_failed":
		p.Members(payload)
		p.Notice(events.LevelError, "continue_turn_failed", p.Strings.Text(p.Nested.Get("error")))
	default:
		if quietSubtype(subtype) {
			return events.LineIgnored
		}
		return p.Unknown("system/", subtype)
	}
	return events.LineOK
}

// start emits a transcript's session at its first message line: there is no init.
func (p *Parser) start(r *sdkstream.Envelope) {
	version := r.Rest.Get("version")
	if !r.Transcript || version.Kind != scan.KindString || string(r.Session.Body()) == p.started {
		return
	}
	p.started = p.Head.SessionID
	e := p.Emit(events.KindSessionStarted)
	e.MessageID = ""
	e.Session = &events.Session{
		Version:    p.Strings.Text(version),
		WorkingDir: p.Strings.Text(r.Rest.Get("cwd")),
		Branch:     p.Strings.Text(r.Rest.Get("gitBranch")),
		Recorded:   true,
		SubAgent:   p.Head.AgentID != "",
		AgentName:  p.Strings.Text(r.Rest.Get("agentName")),
	}
}

// init emits a stream's session.
func (p *Parser) init(r *sdkstream.Envelope) {
	e := p.Emit(events.KindSessionStarted)
	e.Session = &events.Session{
		Version:        p.Strings.Text(r.Rest.Get("qwen_code_version")),
		WorkingDir:     p.Strings.Text(r.Rest.Get("cwd")),
		PermissionMode: p.Strings.Text(r.Rest.Get("permission_mode")),
	}
	if p.model == "" {
		p.model = e.Model
	}
	p.open, p.lastText = true, ""
}

// result ends a run. "success" is also what the program says when the API refused its key: then the last text decides.
func (p *Parser) result(r *sdkstream.Envelope) {
	p.totals(r.Rest.Get("usage"))
	subtype := p.Strings.Intern(r.Subtype)
	failed := strings.HasPrefix(p.lastText, apiError)
	e := p.Emit(events.KindSessionEnded)
	end := &events.End{
		Error:    r.Rest.Get("is_error").True() || strings.HasPrefix(subtype, "error") || failed,
		Code:     subtype,
		Result:   p.Strings.Text(r.Rest.Get("result")),
		Turns:    int(r.Rest.Get("num_turns").Int()),
		Duration: millis(r.Rest.Get("duration_ms")),
	}
	if v := r.Rest.Get("structured_result"); v.Exists() && v.Kind != scan.KindNull {
		end.Result = p.Strings.JSON(v)
	}
	if end.Error {
		p.Members(r.Rest.Get("error"))
		end.Err = p.Strings.Text(p.Nested.Get("message"))
		for _, text := range [...]string{end.Result, p.lastText, end.Code} {
			if end.Err == "" {
				end.Err = text
			}
		}
		if failed && end.Code == "success" {
			end.Code = noticeAPIError
		}
		end.Cause = cause.Of(0, end.Err, subtype)
	}
	if end.Interrupted = strings.HasPrefix(end.Err, string(operationCancelled)); end.Interrupted {
		end.Cause = ""
	}
	e.End = end
	p.open, p.lastText = false, ""
}

// turnResult ends a turn of a transcript (0.24).
func (p *Parser) turnResult(payload scan.Value) {
	p.Members(payload)
	m := p.Nested
	state := m.Get("state")
	end := &events.End{
		Error: state.Is("error"), Interrupted: state.Is("cancelled"),
		Code: p.Strings.Intern(state), Result: p.Strings.Text(m.Get("resultText")),
	}
	started, ended, failure := m.Get("startedAt").Float(), m.Get("endedAt").Float(), m.Get("error")
	if started > 0 && ended > started && ended < 1e15 {
		end.Duration = time.Duration((ended - started) * float64(time.Millisecond))
	}
	turn := p.Strings.Text(m.Get("promptId"))
	p.Members(failure)
	if end.Error {
		if end.Err = p.Strings.Text(p.Nested.Get("message")); end.Err == "" {
			end.Err = end.Code
		}
		end.Cause = cause.Of(int(p.Nested.Get("status").Int()), end.Err, p.Strings.Intern(p.Nested.Get("type")), p.Strings.Intern(p.Nested.Get("code")))
	}
	e := p.Emit(events.KindTurnDone)
	e.TurnID, e.End = turn, end
}

// compression reports a conversation that was made shorter.
func (p *Parser) compression(payload scan.Value) {
	p.Members(payload)
	p.Members(p.Nested.Get("info"))
	text := "conversation compacted"
	if before := p.Nested.Get("originalTokenCount"); before.Kind == scan.KindNumber {
		text += ": " + strconv.FormatInt(before.Int(), 10) + " tokens before"
		if after := p.Nested.Get("newTokenCount"); after.Kind == scan.KindNumber {
			text += ", " + strconv.FormatInt(after.Int(), 10) + " after"
		}
	}
	p.Notice(events.LevelInfo, events.NoticeCompaction, text)
}

// retry reports a call to the API that is made again. Retries come by the handful, so their text may cost an
// allocation.
func (p *Parser) retry(payload scan.Value) {
	p.Members(payload)
	text := "API call failed"
	if attempt := p.Nested.Get("attempt"); attempt.Kind == scan.KindNumber {
		text += fmt.Sprintf("; retry %d", attempt.Int())
		if limit := p.Nested.Get("maxRetries"); limit.Kind == scan.KindNumber {
			text += fmt.Sprintf(" of %d", limit.Int())
		}
	}
	if delay := millis(p.Nested.Get("delayMs")); delay > 0 {
		text += fmt.Sprintf(" in %s", delay.Round(10*time.Millisecond))
	}
	p.Notice(events.LevelWarn, events.NoticeAPIRetry, text)
}

// task reports the state of a sub-agent in the background or of a monitor.
func (p *Parser) task(payload scan.Value, subtype string) {
	p.Members(payload)
	m := p.Nested
	id := m.Get("tool_use_id")
	if len(id.Body()) == 0 {
		return // of no call that we could name
	}
	e := p.Emit(events.KindToolProgress)
	e.Text = p.Strings.Text(m.Get("description"))
	e.Tool = events.Tool{ID: p.Strings.Text(id), State: events.ToolStateRunning, AgentType: p.Strings.Intern(m.Get("subagent_type"))}
	if e.Tool.AgentType != "" {
		e.Tool.AgentID = p.Strings.Intern(m.Get("task_id"))
	}
	if subtype == "task_started" {
		return
	}
	switch string(m.Get("status").Body()) {
	case "completed":
		e.Tool.State = events.ToolStateCompleted
	case "failed", "error":
		e.Tool.State, e.Tool.Error = events.ToolStateFailed, true
		e.Tool.Err = "failed"
	case "cancelled", "stopped", "killed":
		e.Tool.State = events.ToolStateStopped
	}
	p.Members(m.Get("usage"))
	e.Tool.Duration = millis(p.Nested.Get("duration_ms"))
}

// quietSubtype lists the system lines that are known and have nothing for a reader of what the agent did.
func quietSubtype(subtype []byte) bool {
	switch string(subtype) {
	case "agent_bootstrap", "agent_launch_prompt", "agent_retry", "agent_session_ready", "at_command", "attribution_snapshot", "background_task_completed", "branch_checkpoint", "custom_title", "file_history_snapshot",
		"goal_runtime", "goal_state", "goal_turn_end", "managed_session_commit_v1", "managed_session_event_v1", "managed_session_header_v1", "omni_recall", "parent_session", "realtime_message", "rewind", "session_artifact_event",
		"session_artifact_snapshot", "session_end", "session_model", "session_recording_degraded", "session_source", "session_sources_snapshot",
		"session_start", "slash_command", "user_text_elements", "worktree_restored", "worktree_started":
		return true
	}
	return false
}
