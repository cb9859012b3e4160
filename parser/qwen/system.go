package qwen

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/cause"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// noticeModelFallback is the code of a fallback to another model.
const noticeModelFallback = "model_fallback"

// system handles the lines that the program writes about itself. In a stream their content is in data, in a
// transcript in systemPayload.
func (p *Parser) system(r *record) {
	payload := r.rest.Get("systemPayload")
	if !r.camel {
		payload = r.rest.Get("data")
	}
	subtype := r.subtype.Body()
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
		p.nested = p.inner.MembersOf(payload, p.nested[:0])
		p.notice(events.LevelWarn, noticeModelFallback, "model "+p.strings.Text(p.nested.Get("fromModel"))+" failed, going on with "+p.strings.Text(p.nested.Get("toModel")))
	case "continue_turn_failed":
		p.nested = p.inner.MembersOf(payload, p.nested[:0])
		p.notice(events.LevelError, "continue_turn_failed", p.strings.Text(p.nested.Get("error")))
	default:
		if !quietSubtype(subtype) {
			p.verdict.NoteUnknown(lines.TypeName("system/", subtype))
		}
		return
	}
	p.verdict.Note(events.LineOK)
}

// start emits a transcript's session at its first message line: there is no init.
func (p *Parser) start(r *record) {
	version := r.rest.Get("version")
	if !r.camel || version.Kind != scan.KindString || string(r.session.Body()) == p.started {
		return
	}
	p.started = p.head.SessionID
	e := p.emit(events.KindSessionStarted)
	e.MessageID = ""
	e.Session = &events.Session{
		Version:    p.strings.Text(version),
		WorkingDir: p.strings.Text(r.rest.Get("cwd")),
		Branch:     p.strings.Text(r.rest.Get("gitBranch")),
		Recorded:   true,
		SubAgent:   p.head.AgentID != "",
		AgentName:  p.strings.Text(r.rest.Get("agentName")),
	}
}

// init emits a stream's session.
func (p *Parser) init(r *record) {
	e := p.emit(events.KindSessionStarted)
	e.Session = &events.Session{
		Version:        p.strings.Text(r.rest.Get("qwen_code_version")),
		WorkingDir:     p.strings.Text(r.rest.Get("cwd")),
		PermissionMode: p.strings.Text(r.rest.Get("permission_mode")),
	}
	if p.model == "" {
		p.model = e.Model
	}
	p.open, p.lastText = true, ""
}

// result ends a run. "success" is also what the program says when the API refused its key: then the last text decides.
func (p *Parser) result(r *record) {
	p.totals(r.rest.Get("usage"))
	subtype := p.strings.Intern(r.subtype)
	failed := strings.HasPrefix(p.lastText, apiError)
	e := p.emit(events.KindSessionEnded)
	end := &events.End{
		Error:    r.rest.Get("is_error").True() || strings.HasPrefix(subtype, "error") || failed,
		Code:     subtype,
		Result:   p.strings.Text(r.rest.Get("result")),
		Turns:    int(r.rest.Get("num_turns").Int()),
		Duration: millis(r.rest.Get("duration_ms")),
	}
	if v := r.rest.Get("structured_result"); v.Exists() && v.Kind != scan.KindNull {
		end.Result = p.strings.JSON(v)
	}
	if end.Error {
		p.nested = p.inner.MembersOf(r.rest.Get("error"), p.nested[:0])
		end.Err = p.strings.Text(p.nested.Get("message"))
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
	p.nested = p.inner.MembersOf(payload, p.nested[:0])
	m := p.nested
	state := m.Get("state")
	end := &events.End{
		Error: state.Is("error"), Interrupted: state.Is("cancelled"),
		Code: p.strings.Intern(state), Result: p.strings.Text(m.Get("resultText")),
	}
	started, ended, failure := m.Get("startedAt").Float(), m.Get("endedAt").Float(), m.Get("error")
	if started > 0 && ended > started && ended < 1e15 {
		end.Duration = time.Duration((ended - started) * float64(time.Millisecond))
	}
	turn := p.strings.Text(m.Get("promptId"))
	p.nested = p.inner.MembersOf(failure, p.nested[:0])
	if end.Error {
		if end.Err = p.strings.Text(p.nested.Get("message")); end.Err == "" {
			end.Err = end.Code
		}
		end.Cause = cause.Of(int(p.nested.Get("status").Int()), end.Err, p.strings.Intern(p.nested.Get("type")), p.strings.Intern(p.nested.Get("code")))
	}
	e := p.emit(events.KindTurnDone)
	e.TurnID, e.End = turn, end
}

func (p *Parser) notice(level events.Level, code, text string) {
	e := p.emit(events.KindNotice)
	e.Notice = events.Notice{Level: level, Code: code}
	e.Text = text
}

// compression reports a conversation that was made shorter.
func (p *Parser) compression(payload scan.Value) {
	p.nested = p.inner.MembersOf(payload, p.nested[:0])
	p.nested = p.inner.MembersOf(p.nested.Get("info"), p.nested[:0])
	text := "conversation compacted"
	if before := p.nested.Get("originalTokenCount"); before.Kind == scan.KindNumber {
		text += ": " + strconv.FormatInt(before.Int(), 10) + " tokens before"
		if after := p.nested.Get("newTokenCount"); after.Kind == scan.KindNumber {
			text += ", " + strconv.FormatInt(after.Int(), 10) + " after"
		}
	}
	p.notice(events.LevelInfo, events.NoticeCompaction, text)
}

// retry reports a call to the API that is made again. Retries come by the handful, so their text may cost an
// allocation.
func (p *Parser) retry(payload scan.Value) {
	p.nested = p.inner.MembersOf(payload, p.nested[:0])
	text := "API call failed"
	if attempt := p.nested.Get("attempt"); attempt.Kind == scan.KindNumber {
		text += fmt.Sprintf("; retry %d", attempt.Int())
		if limit := p.nested.Get("maxRetries"); limit.Kind == scan.KindNumber {
			text += fmt.Sprintf(" of %d", limit.Int())
		}
	}
	if delay := millis(p.nested.Get("delayMs")); delay > 0 {
		text += fmt.Sprintf(" in %s", delay.Round(10*time.Millisecond))
	}
	p.notice(events.LevelWarn, events.NoticeAPIRetry, text)
}

// task reports the state of a sub-agent in the background or of a monitor.
func (p *Parser) task(payload scan.Value, subtype string) {
	p.nested = p.inner.MembersOf(payload, p.nested[:0])
	m := p.nested
	id := m.Get("tool_use_id")
	if len(id.Body()) == 0 {
		return // of no call that we could name
	}
	e := p.emit(events.KindToolProgress)
	e.Text = p.strings.Text(m.Get("description"))
	e.Tool = events.Tool{ID: p.strings.Text(id), State: events.ToolStateRunning, AgentType: p.strings.Intern(m.Get("subagent_type"))}
	if e.Tool.AgentType != "" {
		e.Tool.AgentID = p.strings.Intern(m.Get("task_id"))
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
	p.nested = p.inner.MembersOf(m.Get("usage"), p.nested[:0])
	e.Tool.Duration = millis(p.nested.Get("duration_ms"))
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
