package render

import (
	"strings"

	"github.com/tailspan/tailspan/events"
)

// shortID is how many runes of a session id are shown.
const shortID = 8

// transcriptSessionStarted is "[session 1a2b3c4d · model]", with what is known of the two.
func transcriptSessionStarted(r *Renderer, e *events.DisplayEvent) {
	line := "[session"
	if id := sessionID(e.SessionID); id != "" {
		line += " " + id
	}
	if model := brief(e.Model); model != "" {
		line += " · " + model
	}
	r.line(line, "]")
}

// sessionID is the beginning of a session id.
func sessionID(id string) string {
	runes := []rune(brief(id))
	return string(runes[:min(len(runes), shortID)])
}

// transcriptToolUse is "[Read] calc.go": the tool's own name, and its argument in the form that the tool table has for it.
func transcriptToolUse(r *Renderer, e *events.DisplayEvent) {
	if e.Tool.Partial {
		return
	}
	name, t := toolName(e.Tool.Name), lookUp(e.Tool.Name)
	if t == nil {
		r.line("[", name, "]")
		return
	}
	label := name
	if t.field == fieldTask {
		label = colon(name, brief(e.Tool.AgentType))
	}
	r.line("[", label, "] ", transcriptArg(t.field, e.Tool.Target))
}

// transcriptArg is a tool's argument in a transcript, empty if there is none.
func transcriptArg(f field, target string) string {
	if f == fieldFile {
		target = baseName(strings.TrimSpace(target))
	}
	arg := brief(target)
	if arg == "" {
		return ""
	}
	switch f {
	case fieldNone:
		return ""
	case fieldCommand:
		return "$ " + arg
	case fieldSearch:
		return `"` + arg + `"`
	default:
		return arg
	}
}

// transcriptToolResult is "→ error: first line", "→ 12 lines", "→ ok" or "→ first line".
func transcriptToolResult(r *Renderer, e *events.DisplayEvent) {
	r.line("→ ", outcome(&e.Tool), took(r, &e.Tool))
}

// transcriptNotice shows retries, warnings and errors. The result that follows shows a refusal.
func transcriptNotice(r *Renderer, e *events.DisplayEvent) {
	switch e.Notice.Code {
	case events.NoticeAPIRetry:
		r.line("[Retrying API call...]")
	case events.NoticePermissionDenied:
	default:
		bracketNotice(r, e)
	}
}

// transcriptSessionEnded is the result under a heading; where there is no result text, why there is none.
func transcriptSessionEnded(r *Renderer, e *events.DisplayEvent) {
	if e.End == nil {
		return
	}
	result := Sanitize(e.End.Result)
	if strings.TrimSpace(result) == "" {
		switch {
		case interrupted(e.End):
			result = "interrupted"
		case failed(e.End):
			result = failure(e.End)
		}
	}
	if strings.TrimSpace(result) == "" {
		return
	}
	r.line("")
	r.line("--- Result ---")
	r.block(result)
}
