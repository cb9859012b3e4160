package codex

import (
	"bytes"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/cause"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// event handles what an event_msg of a rollout has beside the response items. Texts and calls are there a second time
// and are taken from the items, which every version has.
func (p *Parser) event(r *record) events.LineStatus {
	m := r.body
	kind := m.Get("type").Body()
	switch string(kind) {
	case "task_started", "turn_started":
		p.setTurn(m)
		p.response = ""
		p.turns, p.compacted = true, false
		p.Emit(events.KindTurnStarted)
	case "task_complete", "turn_complete":
		p.taskComplete(m)
	case "turn_aborted":
		p.turnAborted(m)
	case "token_count":
		p.tokenCount(m, false)
		p.rateLimits(m.Get("rate_limits"))
	case "item_completed":
		return p.itemCompleted(r)
	case "user_message":
		p.userMessage(p.Strings.Text(m.Get("message")))
	case "thread_settings_applied":
		p.Nested = p.Scanner.MembersOf(m.Get("thread_settings"), p.Nested[:0])
		p.setModel(p.Nested.Get("model"))
	case "exec_command_end", "patch_apply_end", "mcp_tool_call_end", "dynamic_tool_call_response":
		p.callEnded(string(kind), m)
	case "web_search_end", "view_image_tool_call", "image_generation_end":
		p.done(string(kind), m)
	case "entered_review_mode", "exited_review_mode":
		p.Emit(events.KindPhase).Text = p.Strings.Text(m.Get("type"))
	default:
		return p.word(string(kind), m)
	}
	return events.LineOK
}

// word gives the notices that streams of E1 and rollouts share; no notice is made of what only repeats others.
func (p *Parser) word(kind string, m scan.Members) events.LineStatus {
	switch kind {
	case "stream_error":
		p.Notice(events.LevelWarn, events.NoticeAPIRetry, p.Strings.Text(m.Get("message")))
	case "error":
		p.Notice(events.LevelError, noticeError, p.Strings.Text(m.Get("message")))
	case "warning", "guardian_warning":
		p.Notice(events.LevelWarn, noticeWarning, p.Strings.Text(m.Get("message")))
	case "deprecation_notice":
		p.Notice(events.LevelWarn, noticeWarning, p.Strings.Text(m.Get("summary")))
	case "background_event":
		p.Notice(events.LevelInfo, events.NoticeInformational, p.Strings.Text(m.Get("message")))
	case "model_reroute":
		p.Notice(events.LevelWarn, noticeWarning, "model rerouted from "+p.Strings.Text(m.Get("from_model"))+" to "+p.Strings.Text(m.Get("to_model")))
		p.setModel(m.Get("to_model"))
	case "thread_rolled_back":
		p.Notice(events.LevelInfo, noticeRollback, "turns taken back: "+p.Strings.Copy(m.Get("num_turns").Raw))
	default:
		if quietEvent(kind) {
			return events.LineIgnored
		}
		return p.Unknown("event_msg/", m.Get("type").Body())
	}
	return events.LineOK
}

// taskComplete ends a turn, also one that failed.
func (p *Parser) taskComplete(m scan.Members) {
	p.setTurn(m)
	end := &events.End{Result: p.Strings.Text(m.Get("last_agent_message")), Duration: millis(m.Get("duration_ms"))}
	if failure := m.Get("error"); failure.Kind == scan.KindObject {
		p.Nested = p.Scanner.MembersOf(failure, p.Nested[:0])
		end.Error, end.Err = true, p.Strings.Text(p.Nested.Get("message"))
		var status int
		end.Code, status = p.errorCode(p.Nested.Get("codex_error_info"))
		end.Cause = cause.Of(status, end.Err, end.Code)
	} else if m.Get("last_agent_message").Kind == scan.KindNull && !p.thread.paginated && !p.compacted {
		end.Error, end.Err, end.Cause = true, "turn ended without an answer", events.CauseOther // R3 has no reason
	}
	p.Emit(events.KindTurnDone).End = end
	p.response = ""
}

// errorCode is the reason why a turn failed: "context_window_exceeded", or the key of {"http_connection_failed":{...}} and the
// HTTP status in that.
func (p *Parser) errorCode(v scan.Value) (code string, status int) {
	if v.Kind != scan.KindObject {
		return p.Strings.Intern(v), 0
	}
	s := &p.Scanner
	s.Reset(v.Raw)
	if s.Object(); !s.Key() {
		return "", 0
	}
	code = p.Strings.Unescape(s.Name())
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

// turnAborted ends a turn that was stopped from outside; only a budget that was used up is no user's wish.
func (p *Parser) turnAborted(m scan.Members) {
	p.setTurn(m)
	reason := p.Strings.Intern(m.Get("reason"))
	spent := reason == "budget_limited"
	end := &events.End{Interrupted: !spent, Error: spent, Code: reason, Duration: millis(m.Get("duration_ms"))}
	if spent {
		end.Err, end.Cause = reason, cause.Of(0, "", reason)
	}
	p.Emit(events.KindTurnDone).End = end
	p.response, p.open = "", false
}

// rateLimits reports a limit of the subscription once it is reached.
func (p *Parser) rateLimits(v scan.Value) {
	if v.Kind != scan.KindObject {
		return
	}
	var kind scan.Value
	s := &p.Scanner
	s.Reset(v.Raw)
	for s.Object(); s.Key(); {
		if string(s.Name()) == "rate_limit_reached_type" {
			kind = s.Value()
		} else {
			s.Skip()
		}
	}
	if len(kind.Body()) > 0 {
		p.Notice(events.LevelWarn, noticeRateLimit, "rate limit reached: "+p.Strings.Text(kind))
	}
}

// millis reads a duration; a value that no clock can have is none.
func millis(v scan.Value) time.Duration { return v.Duration(time.Millisecond) }

// moment reads a time in milliseconds since 1970; the zero time if there is none.
func moment(v scan.Value) time.Time {
	if n := v.Int(); n > 0 && n < 1<<42 {
		return time.UnixMilli(n).UTC()
	}
	return time.Time{}
}

// span gives a duration as Rust writes it, {"secs":1,"nanos":930646028}.
func (p *Parser) span(v scan.Value) time.Duration {
	if v.Kind != scan.KindObject {
		return 0
	}
	secs, nanos, ok := spanParts(v.Raw)
	if ok {
		return spanOf(secs, nanos)
	}
	s := &p.Scanner
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

// digits reads a plain number of up to 18 digits and returns what follows it.
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
