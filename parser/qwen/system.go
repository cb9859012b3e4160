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

// session is what the program reports about the session and its runs.
type session struct {
	*line
	ledger  *ledger
	reports *reports

	model    string // the first model; totals are reported under it
	lastText string // of the main thread
	started  string // session of the last SessionStarted
	open     bool   // the stream lacks the result of something that it began
}

// system handles the lines that the program writes about itself. Their content is in data in a stream, and in
// systemPayload in a transcript.
func (s *session) system(r *sdkstream.Envelope) events.LineStatus {
	payload := r.Rest.Get("systemPayload")
	if !r.Transcript {
		payload = r.Rest.Get("data")
	}
	subtype := r.Subtype.Body()
	switch string(subtype) {
	case "init":
		s.init(r)
	case "ui_telemetry":
		s.reports.uiTelemetry(payload)
	case "chat_compression":
		s.compression(payload)
	case "turn_result":
		s.turnResult(payload)
	case "task_started", "task_notification":
		s.task(payload, string(subtype))
	case "retry":
		s.retry(payload)
	case "model_fallback":
		s.Members(payload)
		from, to := s.Strings.Text(s.Nested.Get("fromModel")), s.Strings.Text(s.Nested.Get("toModel"))
		s.Notice(events.LevelWarn, noticeModelFallback, "model "+from+" failed, going on with "+to)
	case "continue_turn_failed":
		s.Members(payload)
		s.Notice(events.LevelError, "continue_turn_failed", s.Strings.Text(s.Nested.Get("error")))
	default:
		if quietSubtype(subtype) {
			return events.LineIgnored
		}
		return s.Unknown("system/", subtype)
	}
	return events.LineOK
}

// start emits a transcript's session at its first message line, since there is no init.
func (s *session) start(r *sdkstream.Envelope) {
	version := r.Rest.Get("version")
	if !r.Transcript || version.Kind != scan.KindString || string(r.Session.Body()) == s.started {
		return
	}
	s.started = s.Head.SessionID
	e := s.Emit(events.KindSessionStarted)
	e.MessageID = ""
	e.Session = &events.Session{
		Version:    s.Strings.Text(version),
		WorkingDir: s.Strings.Text(r.Rest.Get("cwd")),
		Branch:     s.Strings.Text(r.Rest.Get("gitBranch")),
		Recorded:   true,
		SubAgent:   s.Head.AgentID != "",
		AgentName:  s.Strings.Text(r.Rest.Get("agentName")),
	}
}

// init emits a stream's session.
func (s *session) init(r *sdkstream.Envelope) {
	e := s.Emit(events.KindSessionStarted)
	e.Session = &events.Session{
		Version:        s.Strings.Text(r.Rest.Get("qwen_code_version")),
		WorkingDir:     s.Strings.Text(r.Rest.Get("cwd")),
		PermissionMode: s.Strings.Text(r.Rest.Get("permission_mode")),
	}
	if s.model == "" {
		s.model = e.Model
	}
	s.open, s.lastText = true, ""
}

// result ends a run. The program also reports "success" if the API refused its key: then the last text decides.
func (s *session) result(r *sdkstream.Envelope) {
	s.ledger.totals(r.Rest.Get("usage"))
	subtype := s.Strings.Intern(r.Subtype)
	failed := strings.HasPrefix(s.lastText, apiError)
	e := s.Emit(events.KindSessionEnded)
	end := &events.End{
		Error:    r.Rest.Get("is_error").True() || strings.HasPrefix(subtype, "error") || failed,
		Code:     subtype,
		Result:   s.Strings.Text(r.Rest.Get("result")),
		Turns:    int(r.Rest.Get("num_turns").Int()),
		Duration: scan.Millis(r.Rest.Get("duration_ms")),
	}
	if v := r.Rest.Get("structured_result"); v.Exists() && v.Kind != scan.KindNull {
		end.Result = s.Strings.JSON(v)
	}
	if end.Error {
		s.Members(r.Rest.Get("error"))
		end.Err = s.Strings.Text(s.Nested.Get("message"))
		for _, text := range [...]string{end.Result, s.lastText, end.Code} {
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
	s.open, s.lastText = false, ""
}

// turnResult ends a turn of a transcript (0.24).
func (s *session) turnResult(payload scan.Value) {
	m := s.Members(payload)
	state := m.Get("state")
	end := &events.End{
		Error: state.Is("error"), Interrupted: state.Is("cancelled"),
		Code: s.Strings.Intern(state), Result: s.Strings.Text(m.Get("resultText")),
	}
	started, ended, failure := m.Get("startedAt").Float(), m.Get("endedAt").Float(), m.Get("error")
	if started > 0 && ended > started && ended < 1e15 {
		end.Duration = time.Duration((ended - started) * float64(time.Millisecond))
	}
	turn := s.Strings.Text(m.Get("promptId"))
	s.Members(failure)
	if end.Error {
		if end.Err = s.Strings.Text(s.Nested.Get("message")); end.Err == "" {
			end.Err = end.Code
		}
		end.Cause = cause.Of(int(s.Nested.Get("status").Int()), end.Err, s.Strings.Intern(s.Nested.Get("type")), s.Strings.Intern(s.Nested.Get("code")))
	}
	e := s.Emit(events.KindTurnDone)
	e.TurnID, e.End = turn, end
}

// compression reports that the conversation was compacted.
func (s *session) compression(payload scan.Value) {
	s.Members(s.Members(payload).Get("info"))
	text := "conversation compacted"
	if before := s.Nested.Get("originalTokenCount"); before.Kind == scan.KindNumber {
		text += ": " + strconv.FormatInt(before.Int(), 10) + " tokens before"
		if after := s.Nested.Get("newTokenCount"); after.Kind == scan.KindNumber {
			text += ", " + strconv.FormatInt(after.Int(), 10) + " after"
		}
	}
	s.Notice(events.LevelInfo, events.NoticeCompaction, text)
}

// retry reports a repeated call to the API. Retries are few, so their text may cost an allocation.
func (s *session) retry(payload scan.Value) {
	s.Members(payload)
	text := "API call failed"
	if attempt := s.Nested.Get("attempt"); attempt.Kind == scan.KindNumber {
		text += fmt.Sprintf("; retry %d", attempt.Int())
		if limit := s.Nested.Get("maxRetries"); limit.Kind == scan.KindNumber {
			text += fmt.Sprintf(" of %d", limit.Int())
		}
	}
	if delay := scan.Millis(s.Nested.Get("delayMs")); delay > 0 {
		text += fmt.Sprintf(" in %s", delay.Round(10*time.Millisecond))
	}
	s.Notice(events.LevelWarn, events.NoticeAPIRetry, text)
}

// task reports the state of a background sub-agent or a monitor.
func (s *session) task(payload scan.Value, subtype string) {
	m := s.Members(payload)
	id := m.Get("tool_use_id")
	if len(id.Body()) == 0 {
		return // no known call
	}
	e := s.Emit(events.KindToolProgress)
	e.Text = s.Strings.Text(m.Get("description"))
	e.Tool = events.Tool{ID: s.Strings.Text(id), State: events.ToolStateRunning, AgentType: s.Strings.Intern(m.Get("subagent_type"))}
	if e.Tool.AgentType != "" {
		e.Tool.AgentID = s.Strings.Intern(m.Get("task_id"))
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
	s.Members(m.Get("usage"))
	e.Tool.Duration = scan.Millis(s.Nested.Get("duration_ms"))
}

// quietSubtype lists the known system subtypes that say nothing about what the agent did.
func quietSubtype(subtype []byte) bool {
	switch string(subtype) {
	case "agent_bootstrap", "agent_launch_prompt", "agent_retry", "agent_session_ready", "at_command", "attribution_snapshot",
		"background_task_completed", "branch_checkpoint", "custom_title", "file_history_snapshot", "goal_runtime", "goal_state",
		"goal_turn_end", "managed_session_commit_v1", "managed_session_event_v1", "managed_session_header_v1", "omni_recall",
		"parent_session", "realtime_message", "rewind", "session_artifact_event", "session_artifact_snapshot",
		"session_end", "session_model", "session_recording_degraded", "session_source", "session_sources_snapshot",
		"session_start", "slash_command", "user_text_elements", "worktree_restored", "worktree_started":
		return true
	}
	return false
}
