package claude

import (
	"fmt"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// Codes of notices that only Claude Code emits.
const (
	noticeRateLimit = "rate_limit"
	noticeMaxTurns  = "max_turns"
	noticeRefusal   = "model_refusal_fallback"
	noticeRefused   = "model_refusal_no_fallback"
)

// system handles reports of the program itself: the session, tasks, retries, hooks.
func (s *session) system(r *sdkstream.Envelope) events.LineStatus {
	subtype := r.Subtype.Body()
	switch string(subtype) {
	case "init":
		s.init(r)
	case "task_started", "task_progress", "task_updated", "task_notification":
		s.tasks.task(r, string(subtype))
	case "api_retry":
		why := s.Strings.Text(r.Rest.Get("error"))
		s.retry(r.Rest.Get("attempt"), r.Rest.Get("max_retries"), r.Rest.Get("retry_delay_ms"), r.Rest.Get("error_status"), why)
	case "api_error": // the transcript's form of the same; one per retry, not fatal
		s.Members(r.Rest.Get("error"))
		text := s.Strings.Text(s.Nested.Get("formatted"))
		if text == "" {
			text = s.Strings.Text(s.Nested.Get("message"))
		}
		s.retry(r.Rest.Get("retryAttempt"), r.Rest.Get("maxRetries"), r.Rest.Get("retryInMs"), s.Nested.Get("status"), text)
	case "compact_boundary":
		s.compaction(r)
	case "permission_denied":
		s.Notice(events.LevelWarn, events.NoticePermissionDenied, s.Strings.Text(r.Message.Value))
	case "hook_response":
		s.hook(r)
	case "informational":
		s.informational(r)
	case "model_refusal_fallback":
		s.Notice(events.LevelWarn, noticeRefusal, s.Strings.Text(r.Rest.Get("content")))
	case "model_refusal_no_fallback":
		s.Notice(events.LevelWarn, noticeRefused, s.Strings.Text(r.Rest.Get("content")))
	case "turn_duration":
		s.Emit(events.KindTurnDone).End = &events.End{Duration: scan.Millis(r.Rest.Get("durationMs")), Unjudged: true}
	default:
		if quietSubtype(subtype) {
			return events.LineIgnored
		}
		return s.Unknown("system/", subtype)
	}
	return events.LineOK
}

// retry reports a repeated model call. Retries are few, so their text may cost an allocation.
func (s *session) retry(attempt, limit, delayMillis, status scan.Value, reason string) {
	var b strings.Builder
	b.WriteString("API call failed")
	if reason != "" {
		fmt.Fprintf(&b, ": %s", reason)
	}
	if status.Kind == scan.KindNumber {
		fmt.Fprintf(&b, " (%d)", status.Int())
	}
	if attempt.Kind == scan.KindNumber {
		fmt.Fprintf(&b, "; retry %d", attempt.Int())
		if limit.Kind == scan.KindNumber {
			fmt.Fprintf(&b, " of %d", limit.Int())
		}
	}
	if delay := scan.Millis(delayMillis); delay > 0 {
		fmt.Fprintf(&b, " in %s", delay.Round(10*time.Millisecond))
	}
	s.Notice(events.LevelWarn, events.NoticeAPIRetry, b.String())
}

func (s *session) compaction(r *sdkstream.Envelope) {
	s.Members(r.Rest.AnyOf("compact_metadata", "compactMetadata"))
	text := "conversation compacted"
	if trigger := s.Strings.Text(s.Nested.Get("trigger")); trigger != "" {
		text += " (" + trigger + ")"
	}
	if before := s.Nested.AnyOf("pre_tokens", "preTokens"); before.Kind == scan.KindNumber {
		text += fmt.Sprintf(": %d tokens before", before.Int())
		if after := s.Nested.AnyOf("post_tokens", "postTokens"); after.Kind == scan.KindNumber {
			text += fmt.Sprintf(", %d after", after.Int())
		}
	}
	s.Notice(events.LevelInfo, events.NoticeCompaction, text)
}

// hook reports the outcome of a hook with the first line of its output.
func (s *session) hook(r *sdkstream.Envelope) {
	level := events.LevelInfo
	if code := r.Rest.Get("exit_code"); code.Int() != 0 || r.Rest.Get("outcome").Is("error") {
		level = events.LevelWarn
	}
	text := s.Strings.Text(r.Rest.Get("hook_name"))
	for _, key := range [...]string{"stderr", "output", "stdout"} {
		if level == events.LevelInfo && key == "stderr" {
			continue
		}
		if said := events.Summary(s.Strings.Text(r.Rest.Get(key))); said != "" {
			text += ": " + said
			break
		}
	}
	s.Notice(level, events.NoticeHook, text)
}

func (s *session) informational(r *sdkstream.Envelope) {
	level := events.LevelInfo
	switch string(r.Rest.Get("level").Body()) {
	case "warning", "warn":
		level = events.LevelWarn
	case "error":
		level = events.LevelError
	}
	if text := s.Strings.Text(r.Rest.Get("content")); !lines.Blank(text) {
		s.Notice(level, events.NoticeInformational, text)
	}
}

// rateLimit reports that a subscription's limit is near or reached; the type is from the published types.
func (s *session) rateLimit(r *sdkstream.Envelope) {
	s.Members(r.Rest.Get("rate_limit_info"))
	status := s.Strings.Text(s.Nested.Get("status"))
	if status == "" || status == "allowed" {
		return
	}
	text := "rate limit: " + status
	if kind := s.Strings.Text(s.Nested.Get("rateLimitType")); kind != "" {
		text += " (" + kind + ")"
	}
	s.Notice(events.LevelWarn, noticeRateLimit, text)
}

// attachment handles what the program added to the conversation. Only reaching the limit of turns is an event.
func (s *session) attachment(r *sdkstream.Envelope) events.LineStatus {
	s.Members(r.Rest.Get("attachment"))
	if !s.Nested.Get("type").Is("max_turns_reached") {
		return events.LineIgnored
	}
	s.Notice(events.LevelError, noticeMaxTurns, "maximum number of turns reached")
	s.Out[len(s.Out)-1].Sign = events.Sign{Outcome: events.OutcomeError, Cause: events.CauseMaxTurns}
	return events.LineOK
}

// quietSubtype lists the known system subtypes that say nothing about what the agent did.
func quietSubtype(subtype []byte) bool {
	switch string(subtype) {
	case "away_summary", "background_tasks_changed", "commands_changed", "control_request_progress", "elicitation_complete",
		"files_persisted", "hook_progress", "hook_started", "local_command", "local_command_output", "memory_recall",
		"mirror_error", "notification", "plugin_install", "scheduled_task_fire", "session_state_changed",
		"session_writes_lost", "status", "stop_hook_summary", "thinking_tokens", "worker_shutting_down":
		return true
	}
	return false
}

// bookkeeping lists the known types of lines that yield nothing. Some of them repeat messages verbatim
// (api-request-blob, progress), so they must never be searched.
func bookkeeping(kind []byte) bool {
	switch string(kind) {
	case "active_goal", "agent-name", "ai-title", "api-request", "api-request-blob", "api-request-shape", "atis-latch",
		"attribution-snapshot", "auth_status", "content-replacement", "control_cancel_request",
		"control_request", "control_response", "conversation_reset", "custom-title", "file-history-delta",
		"file-history-snapshot", "keep_alive", "last-prompt", "mode", "permission-mode", "pr-link", "progress",
		"prompt_suggestion", "summary", "tool_use_summary", "tools-used":
		return true
	}
	return false
}
