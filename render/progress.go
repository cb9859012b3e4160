package render

import "github.com/tailspan/tailspan/events"

// progressToolUse says what the agent is doing: "Reading src/auth.ts". A command says it itself; a tool that no table
// knows, or a call without argument, is "Running <name>".
func progressToolUse(r *Renderer, e *events.DisplayEvent) {
	if e.Tool.Partial {
		return
	}
	t, target := lookUp(e.Tool.Name), brief(e.Tool.Target)
	if t == nil || t.field == fieldNone || target == "" {
		r.line("Running ", toolName(e.Tool.Name))
		return
	}
	r.line(t.doing, target)
}

// progressToolResult says how a call ended. A result that only means that the work goes on in the background says
// nothing: the end will come as a ToolProgress.
func progressToolResult(r *Renderer, e *events.DisplayEvent) {
	if e.Tool.State == events.ToolStateBackground && !e.Tool.Error {
		return
	}
	progressEnd(r, &e.Tool, e.Tool.Error)
}

// progressToolProgress says how work in the background ended.
func progressToolProgress(r *Renderer, e *events.DisplayEvent) {
	switch e.Tool.State {
	case events.ToolStateCompleted:
		progressEnd(r, &e.Tool, false)
	case events.ToolStateFailed, events.ToolStateStopped:
		progressEnd(r, &e.Tool, true)
	}
}

// progressEnd words the end of a call by what is known of it: the table's words for a known tool with its argument, the
// bare name without, and "Tool" where even that is missing.
func progressEnd(r *Renderer, c *events.Tool, isError bool) {
	t, target := lookUp(c.Name), brief(c.Target)
	var line string
	switch {
	case t == nil || t.field == fieldNone || target == "":
		line = "Tool"
		if name := knownName(c); name != "" {
			line = toolName(name)
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
	r.line(line, took(r, c))
}

// progressNotice shows retries, warnings and errors. The result that follows shows a refusal.
func progressNotice(r *Renderer, e *events.DisplayEvent) {
	switch {
	case e.Notice.Code == events.NoticeAPIRetry:
		r.line("Retrying API call")
	case e.Notice.Code == events.NoticePermissionDenied:
	case e.Notice.Level == events.LevelWarn:
		r.line(colon("Warning", noticeText(e)))
	case e.Notice.Level == events.LevelError:
		r.line(colon("Error", noticeText(e)))
	}
}

func progressPhase(r *Renderer, e *events.DisplayEvent) { r.line(colon("Phase", firstLine(e.Text))) }

// progressSessionEnded shows a run that failed or was interrupted; one that ended well has said so itself.
func progressSessionEnded(r *Renderer, e *events.DisplayEvent) {
	if failed(e.End) || interrupted(e.End) {
		quietSessionEnded(r, e)
	}
}

func progressApproval(r *Renderer, e *events.DisplayEvent) {
	r.line(colon("Waiting for approval", approval(e.Approval)))
}

func progressAsk(r *Renderer, e *events.DisplayEvent) {
	for _, q := range questions(e.Ask) {
		r.line(colon("Asking", q))
	}
}
