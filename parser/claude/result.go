package claude

import (
	"bytes"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/cause"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// session is what the program reports about the session and its runs.
type session struct {
	*line
	usage *ledger
	tasks *tasks

	started     string // the session of the last SessionStarted
	interrupted bool   // by the user, since the last result
	turn        turn
}

// start emits a transcript's session at its first message line, since there is no init. Sub-agents share the
// session of their parent and start none.
func (s *session) start(r *sdkstream.Envelope) {
	if !r.Transcript || r.Agent.Kind == scan.KindString || r.Rest.Get("isSidechain").True() {
		return
	}
	version := r.Rest.Get("version")
	if version.Kind != scan.KindString || string(r.Session.Body()) == s.started {
		return
	}
	s.started = s.Strings.Intern(r.Session)
	e := s.Emit(events.KindSessionStarted)
	e.Session = &events.Session{
		Version:        s.Strings.Text(version),
		WorkingDir:     s.Strings.Text(r.Rest.Get("cwd")),
		PermissionMode: s.Strings.Text(r.Rest.Get("permissionMode")),
		Branch:         s.Strings.Text(r.Rest.Get("gitBranch")),
		Recorded:       true,
		SubAgent:       s.Head.AgentID != "",
	}
	if old := s.Strings.Text(r.RequestSession); old != s.started {
		e.Session.PreviousID = old
	}
}

// init emits a stream's session. If prompts arrive on standard input, each turn has an init.
func (s *session) init(r *sdkstream.Envelope) {
	if s.turn.goesOn(s.Head.SessionID) {
		return
	}
	e := s.Emit(events.KindSessionStarted)
	e.Model = s.Strings.Intern(r.Rest.Get("model"))
	e.Session = &events.Session{
		Version:        s.Strings.Text(r.Rest.Get("claude_code_version")),
		WorkingDir:     s.Strings.Text(r.Rest.Get("cwd")),
		PermissionMode: s.Strings.Text(r.Rest.Get("permissionMode")),
	}
	s.usage.model, s.turn = e.Model, turn{session: s.Head.SessionID, open: true}
}

// result ends a run. A failed API call has subtype "success" and is_error true.
func (s *session) result(r *sdkstream.Envelope) {
	s.usage.totals(r)
	subtype := s.Strings.Intern(r.Subtype)
	end := &events.End{
		Error:       r.Rest.Get("is_error").True() || strings.HasPrefix(subtype, "error"),
		Interrupted: s.interrupted || bytes.HasPrefix(r.Rest.Get("terminal_reason").Body(), []byte("aborted")),
		Code:        subtype,
		Result:      s.Strings.Text(r.Rest.Get("result")),
		Turns:       int(r.Rest.Get("num_turns").Int()),
		Duration:    scan.Millis(r.Rest.Get("duration_ms")),
		Continues:   s.answersTask(r),
	}
	if v := r.Rest.Get("structured_output"); v.Exists() && v.Kind != scan.KindNull {
		end.Result = s.Strings.JSON(v)
	}
	if end.Error {
		end.Err = s.endError(r, end)
	}
	if end.Error && !end.Interrupted {
		end.Cause = cause.Of(int(r.Rest.Get("api_error_status").Int()), end.Err, s.Strings.Intern(r.Rest.Get("api_error_type")), subtype, s.reason(r))
	}
	joined := s.turn.joined
	if s.turn.takes(end) {
		return
	}
	end.Continues = end.Continues && !joined
	s.Emit(events.KindSessionEnded).End = end
	s.interrupted = false
}

// answersTask reports whether a turn handled the report of a background task instead of a prompt (2.1.332).
func (s *session) answersTask(r *sdkstream.Envelope) bool {
	origin := r.Rest.Get("origin")
	if origin.Kind != scan.KindObject {
		return false
	}
	s.Members(origin)
	return s.Nested.Get("kind").Is("task-notification")
}

// reason returns why a run ended, unless it merely repeats that a model call failed: then the status and text show the cause.
func (s *session) reason(r *sdkstream.Envelope) string {
	v := r.Rest.Get("terminal_reason")
	if v.Is("api_error") {
		return ""
	}
	return s.Strings.Intern(v)
}

// endError returns the text of a failure: the list of errors, otherwise the result, which holds an API's error, or the code.
func (s *session) endError(r *sdkstream.Envelope, end *events.End) string {
	var texts []string
	for range scan.Elements(&s.Inner, r.Rest.Get("errors")) {
		if text := s.Strings.Text(s.Inner.Value()); text != "" {
			texts = append(texts, text)
		}
	}
	switch {
	case len(texts) > 0:
		return strings.Join(texts, "\n")
	case end.Result != "":
		return end.Result
	default:
		return end.Code
	}
}
