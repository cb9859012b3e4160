package render

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/safe"
)

// activityToolUse is "Read calc.go": the label that all spellings of a tool come down to, "server: tool" for one of an
// MCP server, and the argument.
func activityToolUse(r *Renderer, e *events.DisplayEvent) {
	if e.Tool.Partial {
		return
	}
	width := 0
	if r.settings.Width != nil {
		width = max(r.settings.Width()-cells(r.lineMargin), 0)
	}
	r.line(callWords(&e.Tool).fit(width))
}

// words are a call in the activity style and in the status line.
type words struct {
	title, target string
	path          bool // target is a path: its end is kept
}

func callWords(t *events.Tool) words {
	known := lookUp(t.Name)
	w := words{title: toolTitle(t), path: known != nil && (known.field == fieldFile || known.field == fieldFolder)}
	switch {
	case known != nil && known.field == fieldNone:
	case w.path:
		w.target = strings.TrimSpace(safe.Line(strings.TrimSpace(t.Target), maxRemembered))
	default:
		w.target = brief(t.Target)
		if w.target != "" && known != nil && known.field == fieldTask {
			w.target = strings.TrimPrefix(colon(brief(t.AgentType), w.target), ": ")
		}
	}
	return w
}

// fit is the call in at most width cells; 0 sets no limit. A path loses its beginning, anything else its end.
func (w words) fit(width int) string {
	if w.target == "" {
		return fitOr(w.title, width)
	}
	line := w.title + " " + w.target
	if width <= 0 || cells(line) <= width || !w.path {
		return fitOr(line, width)
	}
	const least = 5 // cells of a path that are worth their place
	rest := width - cells(w.title) - 1
	if rest < least {
		return fitOr(line, width)
	}
	return w.title + " " + fitEnd(w.target, rest)
}

// activityToolResult is "Read calc.go → 12 lines (340ms)", where results are asked for.
func activityToolResult(r *Renderer, e *events.DisplayEvent) {
	if r.settings.Results {
		r.line(callWords(&e.Tool).fit(0), " → ", outcome(&e.Tool), took(r, &e.Tool))
	}
}

func activityNotice(r *Renderer, e *events.DisplayEvent) {
	if e.Notice.Code == events.NoticeAPIRetry {
		r.line(colon("retrying API call", firstLine(e.Text)))
	} else if head := noticeHead(e.Notice.Level); head != "" {
		r.line(colon(head, noticeText(e)))
	}
}

func activityPhase(r *Renderer, e *events.DisplayEvent) { r.line(colon("phase", firstLine(e.Text))) }

// activitySessionStarted is "started · model · agent", with what is known of the two.
func activitySessionStarted(r *Renderer, e *events.DisplayEvent) {
	line := "started"
	for _, part := range []string{brief(e.Model), brief(r.origin.Agent)} {
		if part != "" {
			line += " · " + part
		}
	}
	r.line(line)
}

// activityTurnDone shows a turn that failed.
func activityTurnDone(r *Renderer, e *events.DisplayEvent) {
	if failed(e.End) {
		r.line(colon("turn failed", failure(e.End)))
	}
}

func activityTurnAborted(r *Renderer, e *events.DisplayEvent) { r.line(colon(aborted(e.End))) }

// activitySessionEnded is "finished (4.1s)", "failed: why" or "interrupted".
func activitySessionEnded(r *Renderer, e *events.DisplayEvent) {
	line := "finished"
	switch {
	case interrupted(e.End):
		line = "interrupted"
	case failed(e.End):
		line = colon("failed", failure(e.End))
	}
	if e.End != nil && e.End.Duration > 0 {
		line += " (" + short(e.End.Duration) + ")"
	}
	r.line(line)
}

func activityApproval(r *Renderer, e *events.DisplayEvent) {
	r.line(colon("waiting for approval", approval(e.Approval)))
}

func activityAsk(r *Renderer, e *events.DisplayEvent) {
	for _, q := range questions(e.Ask) {
		r.line(colon("asking", q))
	}
}

// toolTitle is what a tool is called where all agents' tools are called the same: the label of a known one,
// "server: tool" for one of an MCP server, the raw name of any other.
func toolTitle(t *events.Tool) string {
	if known := lookUp(t.Name); known != nil {
		return known.label
	}
	server, tool := mcpName(t)
	if server == "" || tool == "" {
		return toolName(t.Name)
	}
	return colon(brief(server), brief(tool))
}

// mcpPrefix begins the names of MCP tools in Claude Code, Codex and Gemini CLI: mcp__server__tool.
const mcpPrefix = "mcp__"

// mcpName splits the name of an MCP tool; server is empty for any other.
func mcpName(t *events.Tool) (server, tool string) {
	name, prefixed := strings.CutPrefix(t.Name, mcpPrefix)
	if t.Server == "" {
		if !prefixed {
			return "", ""
		}
		server, tool, _ = strings.Cut(name, "__")
		return server, tool
	}
	// Agents put the server before the tool, in its own spelling or in one that fits a name.
	for _, joint := range []string{"__", "_", ".", "/", ":"} {
		if rest, ok := strings.CutPrefix(name, t.Server+joint); ok {
			return t.Server, rest
		}
	}
	return t.Server, name
}

// activityAction is what the throttle does with an event: it holds tool lines and passes everything else at once.
func (r *Renderer) activityAction(e *events.DisplayEvent) action {
	shown := false
	switch e.Kind {
	case events.KindToolUse:
		if !e.Tool.Partial {
			return actionHold
		}
	case events.KindToolResult:
		if r.settings.Results {
			return actionHold
		}
	case events.KindText:
		shown = e.Text != ""
	case events.KindReasoning:
		shown = r.settings.Reasoning && e.Text != ""
	case events.KindNotice:
		shown = e.Notice.Code == events.NoticeAPIRetry || noticeHead(e.Notice.Level) != ""
	case events.KindTurnDone:
		shown = failed(e.End)
	case events.KindAskRequest:
		shown = len(questions(e.Ask)) > 0
	case events.KindPhase, events.KindSessionStarted, events.KindTurnAborted, events.KindSessionEnded, events.KindApprovalRequest:
		shown = true
	}
	if shown {
		return actionPass
	}
	return actionSilent
}
