package style

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/text"
)

// progressToolUse says what the agent is doing: "Reading src/auth.ts". A command is shown as it is. A tool that is not
// in the table, or a call without argument, is "Running <name>".
func progressToolUse(p *Pen, e *events.DisplayEvent) {
	if e.Tool.Partial {
		return
	}
	t, target := lookUp(e.Tool.Name), text.Brief(e.Tool.Target)
	if t == nil || t.field == fieldNone || target == "" {
		p.Line("Running ", ToolName(e.Tool.Name))
		return
	}
	p.Line(t.doing, target)
}

// progressToolResult says how a call ended. It shows nothing for a call that continues in the background, whose end is
// a ToolProgress.
func progressToolResult(p *Pen, e *events.DisplayEvent) {
	if e.Tool.State == events.ToolStateBackground && !e.Tool.Error {
		return
	}
	progressEnd(p, &e.Tool, e.Tool.Error)
}

// progressToolProgress says how a background call ended.
func progressToolProgress(p *Pen, e *events.DisplayEvent) {
	switch e.Tool.State {
	case events.ToolStateCompleted:
		progressEnd(p, &e.Tool, false)
	case events.ToolStateFailed, events.ToolStateStopped:
		progressEnd(p, &e.Tool, true)
	}
}

// progressEnd describes the end of a call: with the table's words for a known tool with an argument, with the name
// alone without an argument, or with "Tool" if even the name is missing.
func progressEnd(p *Pen, c *events.Tool, isError bool) {
	t, target := lookUp(c.Name), text.Brief(c.Target)
	var line string
	switch {
	case t == nil || t.field == fieldNone || target == "":
		line = "Tool"
		if name := KnownName(c); name != "" {
			line = ToolName(name)
		}
		if isError {
			line += " failed"
		} else {
			line += " finished"
		}
	case isError:
		line = t.noun + " failed: " + target
	case t.done[len(t.done)-1] == ' ':
		line = t.done + target
	default:
		line = t.done
	}
	p.Line(line, took(p, c))
}

// progressNotice shows retries, warnings and errors. The result that follows shows a refusal.
func progressNotice(p *Pen, e *events.DisplayEvent) {
	switch {
	case e.Notice.Code == events.NoticeAPIRetry:
		p.Line("Retrying API call")
	case e.Notice.Code == events.NoticePermissionDenied:
	case e.Notice.Level == events.LevelWarn:
		p.Line(text.Colon("Warning", noticeText(e)))
	case e.Notice.Level == events.LevelError:
		p.Line(text.Colon("Error", noticeText(e)))
	}
}

func progressPhase(p *Pen, e *events.DisplayEvent) {
	p.Line(text.Colon("Phase", text.FirstLine(e.Text)))
}

// progressSessionEnded shows a run that failed or was interrupted. A successful run has its own last text.
func progressSessionEnded(p *Pen, e *events.DisplayEvent) {
	if failed(e.End) || interrupted(e.End) {
		quietSessionEnded(p, e)
	}
}

func progressApproval(p *Pen, e *events.DisplayEvent) {
	p.Line(text.Colon("Waiting for approval", approval(e.Approval)))
}

func progressAsk(p *Pen, e *events.DisplayEvent) {
	for _, q := range questions(e.Ask) {
		p.Line(text.Colon("Asking", q))
	}
}
