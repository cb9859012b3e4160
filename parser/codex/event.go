package codex

import (
	"bytes"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/cause"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// event handles what an event_msg of a rollout adds to the response items. It ignores texts and calls, which are read
// from the items because every version has those.
func (ro *rollout) event(r *record) events.LineStatus {
	m := r.body
	kind := m.Get("type").Body()
	switch string(kind) {
	case "task_started", "turn_started":
		ro.setTurn(m)
		ro.response = ""
		ro.marked, ro.compacted = true, false
		ro.Emit(events.KindTurnStarted)
	case "task_complete", "turn_complete":
		ro.taskComplete(m)
	case "turn_aborted":
		ro.turnAborted(m)
	case "token_count":
		ro.ledger.tokenCount(m, false)
		ro.rateLimits(m.Get("rate_limits"))
	case "item_completed":
		return ro.completions.itemCompleted(r)
	case "user_message":
		ro.prompts.userMessage(ro.Strings.Text(m.Get("message")))
	case "thread_settings_applied":
		ro.Nested = ro.Scanner.MembersOf(m.Get("thread_settings"), ro.Nested[:0])
		ro.setModel(ro.Nested.Get("model"))
	case "exec_command_end", "patch_apply_end", "mcp_tool_call_end", "dynamic_tool_call_response":
		ro.completions.callEnded(string(kind), m)
	case "web_search_end", "view_image_tool_call", "image_generation_end":
		ro.calls.done(string(kind), m)
	case "entered_review_mode", "exited_review_mode":
		ro.Emit(events.KindPhase).Text = ro.Strings.Text(m.Get("type"))
	default:
		return ro.programNotice(string(kind), m)
	}
	return events.LineOK
}

// programNotice emits the notices that streams of E1 and rollouts share, except for those that merely repeat others.
func (ro *rollout) programNotice(kind string, m scan.Members) events.LineStatus {
	switch kind {
	case "stream_error":
		ro.Notice(events.LevelWarn, events.NoticeAPIRetry, ro.Strings.Text(m.Get("message")))
	case "error":
		ro.Notice(events.LevelError, noticeError, ro.Strings.Text(m.Get("message")))
	case "warning", "guardian_warning":
		ro.Notice(events.LevelWarn, noticeWarning, ro.Strings.Text(m.Get("message")))
	case "deprecation_notice":
		ro.Notice(events.LevelWarn, noticeWarning, ro.Strings.Text(m.Get("summary")))
	case "background_event":
		ro.Notice(events.LevelInfo, events.NoticeInformational, ro.Strings.Text(m.Get("message")))
	case "model_reroute":
		ro.Notice(events.LevelWarn, noticeWarning, "model rerouted from "+ro.Strings.Text(m.Get("from_model"))+" to "+ro.Strings.Text(m.Get("to_model")))
		ro.setModel(m.Get("to_model"))
	case "thread_rolled_back":
		ro.Notice(events.LevelInfo, noticeRollback, "turns taken back: "+ro.Strings.Copy(m.Get("num_turns").Raw))
	default:
		if quietEvent(kind) {
			return events.LineIgnored
		}
		return ro.Unknown("event_msg/", m.Get("type").Body())
	}
	return events.LineOK
}

// taskComplete ends a turn, including one that failed.
func (ro *rollout) taskComplete(m scan.Members) {
	ro.setTurn(m)
	end := &events.End{Result: ro.Strings.Text(m.Get("last_agent_message")), Duration: scan.Millis(m.Get("duration_ms"))}
	if failure := m.Get("error"); failure.Kind == scan.KindObject {
		ro.Nested = ro.Scanner.MembersOf(failure, ro.Nested[:0])
		end.Error, end.Err = true, ro.Strings.Text(ro.Nested.Get("message"))
		var status int
		end.Code, status = ro.errorCode(ro.Nested.Get("codex_error_info"))
		end.Cause = cause.Of(status, end.Err, end.Code)
	} else if m.Get("last_agent_message").Kind == scan.KindNull && !ro.thread.paginated && !ro.compacted {
		end.Error, end.Err, end.Cause = true, "turn ended without an answer", events.CauseOther // R3 gives no reason
	}
	ro.Emit(events.KindTurnDone).End = end
	ro.response = ""
}

// errorCode returns why a turn failed: "context_window_exceeded", or the key of {"http_connection_failed":{...}} with the HTTP
// status in its value.
func (l *line) errorCode(v scan.Value) (code string, status int) {
	if v.Kind != scan.KindObject {
		return l.Strings.Intern(v), 0
	}
	s := &l.Scanner
	s.Reset(v.Raw)
	if s.Object(); !s.Key() {
		return "", 0
	}
	code = l.Strings.Unescape(s.Name())
	if s.Peek() != scan.KindObject {
		return code, 0
	}
	for s.Object(); s.Key(); {
		if string(s.Name()) == "http_status_code" {
			status = int(s.Value().Int())
		} else {
			s.Skip()
		}
	}
	return code, status
}

// turnAborted ends a turn that was stopped from outside. Every reason except a used-up budget is the user's wish.
func (ro *rollout) turnAborted(m scan.Members) {
	ro.setTurn(m)
	reason := ro.Strings.Intern(m.Get("reason"))
	spent := reason == "budget_limited"
	end := &events.End{Interrupted: !spent, Error: spent, Code: reason, Duration: scan.Millis(m.Get("duration_ms"))}
	if spent {
		end.Err, end.Cause = reason, cause.Of(0, "", reason)
	}
	ro.Emit(events.KindTurnDone).End = end
	ro.response, ro.open = "", false
}

// rateLimits reports a limit of the subscription that was reached.
func (ro *rollout) rateLimits(v scan.Value) {
	if kind := ro.Members(v).Get("rate_limit_reached_type"); len(kind.Body()) > 0 {
		ro.Notice(events.LevelWarn, noticeRateLimit, "rate limit reached: "+ro.Strings.Text(kind))
	}
}

// moment reads a time in milliseconds since 1970, or the zero time if there is none.
func moment(v scan.Value) time.Time {
	if n := v.Int(); n > 0 && n < 1<<42 {
		return time.UnixMilli(n).UTC()
	}
	return time.Time{}
}

// span reads a duration in Rust's form, {"secs":1,"nanos":930646028}.
func (l *line) span(v scan.Value) time.Duration {
	if v.Kind != scan.KindObject {
		return 0
	}
	secs, nanos, ok := spanParts(v.Raw)
	if ok {
		return spanOf(secs, nanos)
	}
	s := &l.Scanner
	s.Reset(v.Raw)
	for s.Object(); s.Key(); {
		switch string(s.Name()) {
		case "secs":
			secs = s.Value().Int()
		case "nanos":
			nanos = s.Value().Int()
		default:
			s.Skip()
		}
	}
	return spanOf(secs, nanos)
}

// spanParts reads a duration in the one form that Codex writes, without a scanner.
func spanParts(raw []byte) (secs, nanos int64, ok bool) {
	rest, ok := bytes.CutPrefix(raw, []byte(`{"secs":`))
	if !ok {
		return 0, 0, false
	}
	if secs, rest, ok = digits(rest); !ok {
		return 0, 0, false
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(`,"nanos":`)); !ok {
		return 0, 0, false
	}
	nanos, rest, ok = digits(rest)
	return secs, nanos, ok && string(rest) == "}"
}

// digits reads a plain number of up to 18 digits and returns the bytes that follow it.
func digits(b []byte) (n int64, rest []byte, ok bool) {
	i := 0
	for ; i < len(b) && i <= 18 && b[i] >= '0' && b[i] <= '9'; i++ {
		n = n*10 + int64(b[i]-'0')
	}
	return n, b[i:], i > 0 && i <= 18
}

func spanOf(secs, nanos int64) time.Duration {
	if nanos < 0 || nanos >= int64(time.Second) {
		nanos = 0
	}
	return scan.Span(float64(secs), time.Second) + time.Duration(nanos)
}
