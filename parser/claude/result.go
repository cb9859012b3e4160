package claude

import (
	"bytes"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/cause"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// start emits a transcript's session at its first message line: there is no init. Sub-agents have the session of
// their parent, and start none.
func (p *Parser) start(r *sdkstream.Envelope) {
	if !r.Transcript || r.Agent.Kind == scan.KindString || r.Rest.Get("isSidechain").True() {
		return
	}
	version := r.Rest.Get("version")
	if version.Kind != scan.KindString || string(r.Session.Body()) == p.started {
		return
	}
	p.started = p.Strings.Intern(r.Session)
	e := p.Emit(events.KindSessionStarted)
	e.Session = &events.Session{
		Version:        p.Strings.Text(version),
		WorkingDir:     p.Strings.Text(r.Rest.Get("cwd")),
		PermissionMode: p.Strings.Text(r.Rest.Get("permissionMode")),
		Branch:         p.Strings.Text(r.Rest.Get("gitBranch")),
		Recorded:       true,
		SubAgent:       p.Head.AgentID != "",
	}
	if old := p.Strings.Text(r.RequestSession); old != p.started {
		e.Session.PreviousID = old
	}
}

// init emits a stream's session; there is one for each turn where prompts come by standard input.
func (p *Parser) init(r *sdkstream.Envelope) {
	if p.turn.goesOn(p.Head.SessionID) {
		return
	}
	e := p.Emit(events.KindSessionStarted)
	e.Model = p.Strings.Intern(r.Rest.Get("model"))
	e.Session = &events.Session{
		Version:        p.Strings.Text(r.Rest.Get("claude_code_version")),
		WorkingDir:     p.Strings.Text(r.Rest.Get("cwd")),
		PermissionMode: p.Strings.Text(r.Rest.Get("permissionMode")),
	}
	p.model, p.turn = e.Model, turn{session: p.Head.SessionID, open: true}
}

// result ends a run. subtype "success" beside is_error true is what a failed API call looks like.
func (p *Parser) result(r *sdkstream.Envelope) {
	p.totals(r)
	subtype := p.Strings.Intern(r.Subtype)
	end := &events.End{
		Error:       r.Rest.Get("is_error").True() || strings.HasPrefix(subtype, "error"),
		Interrupted: p.interrupted || bytes.HasPrefix(r.Rest.Get("terminal_reason").Body(), []byte("aborted")),
		Code:        subtype,
		Result:      p.Strings.Text(r.Rest.Get("result")),
		Turns:       int(r.Rest.Get("num_turns").Int()),
		Duration:    millis(r.Rest.Get("duration_ms")),
		Continues:   p.answersTask(r),
	}
	if v := r.Rest.Get("structured_output"); v.Exists() && v.Kind != scan.KindNull {
		end.Result = p.Strings.JSON(v)
	}
	if end.Error {
		end.Err = p.endError(r, end)
	}
	if end.Error && !end.Interrupted {
		end.Cause = cause.Of(int(r.Rest.Get("api_error_status").Int()), end.Err, p.Strings.Intern(r.Rest.Get("api_error_type")), subtype, p.reason(r))
	}
	joined := p.turn.joined
	if p.turn.takes(end) {
		return
	}
	end.Continues = end.Continues && !joined
	p.Emit(events.KindSessionEnded).End = end
	p.interrupted = false
}

// answersTask reports whether a turn answered the report of a background task instead of a prompt (2.1.332).
func (p *Parser) answersTask(r *sdkstream.Envelope) bool {
	origin := r.Rest.Get("origin")
	if origin.Kind != scan.KindObject {
		return false
	}
	p.Members(origin)
	return p.Nested.Get("kind").Is("task-notification")
}

// reason is why a run ended, unless it only repeats that a model call failed: its status and its text name the cause.
func (p *Parser) reason(r *sdkstream.Envelope) string {
	v := r.Rest.Get("terminal_reason")
	if v.Is("api_error") {
		return ""
	}
	return p.Strings.Intern(v)
}

// endError is the text of a failure: the list of errors, else the result, which holds an API's error, else the code.
func (p *Parser) endError(r *sdkstream.Envelope, end *events.End) string {
	var texts []string
	if list := r.Rest.Get("errors"); list.Kind == scan.KindArray {
		p.Inner.Reset(list.Raw)
		for p.Inner.Array(); p.Inner.Element(); {
			if text := p.Strings.Text(p.Inner.Value()); text != "" {
				texts = append(texts, text)
			}
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
