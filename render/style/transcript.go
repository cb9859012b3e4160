package style

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/safe"
	"github.com/tailspan/tailspan/render/internal/text"
)

// transcriptSessionStarted writes "[session 1a2b3c4d · model]", with the parts that are known.
func transcriptSessionStarted(p *Pen, e *events.DisplayEvent) {
	line := "[session"
	if id := text.SessionID(e.SessionID); id != "" {
		line += " " + id
	}
	if model := text.Brief(e.Model); model != "" {
		line += " · " + model
	}
	p.Line(line, "]")
}

// transcriptToolUse writes "[Read] calc.go": the tool's own name, and its argument in the form that the tool table specifies.
func transcriptToolUse(p *Pen, e *events.DisplayEvent) {
	if e.Tool.Partial {
		return
	}
	name, t := ToolName(e.Tool.Name), lookUp(e.Tool.Name)
	if t == nil {
		p.Line("[", name, "]")
		return
	}
	label := name
	if t.field == fieldTask {
		label = text.Colon(name, text.Brief(e.Tool.AgentType))
	}
	p.Line("[", label, "] ", transcriptArg(t.field, e.Tool.Target))
}

// transcriptArg returns a tool's argument in a transcript, or "" if there is none.
func transcriptArg(f field, target string) string {
	if f == fieldFile {
		target = baseName(strings.TrimSpace(safe.Sanitize(target)))
	}
	arg := text.Brief(target)
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

// transcriptToolResult writes "→ error: first line", "→ 12 lines", "→ ok" or "→ first line".
func transcriptToolResult(p *Pen, e *events.DisplayEvent) {
	p.Line("→ ", outcome(&e.Tool), took(p, &e.Tool))
}

// transcriptNotice shows retries, warnings and errors. The result that follows shows a refusal.
func transcriptNotice(p *Pen, e *events.DisplayEvent) {
	switch e.Notice.Code {
	case events.NoticeAPIRetry:
		p.Line("[Retrying API call...]")
	case events.NoticePermissionDenied:
	default:
		bracketNotice(p, e)
	}
}

// transcriptSessionEnded writes the result under a heading, or the reason why there is no result text.
func transcriptSessionEnded(p *Pen, e *events.DisplayEvent) {
	if e.End == nil {
		return
	}
	result := safe.Sanitize(e.End.Result)
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
	p.Line("")
	p.Line("--- Result ---")
	p.Block(result)
}
