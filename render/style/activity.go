package style

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/text"
)

// activityToolUse writes "Read calc.go": the label shared by all spellings of a tool, or "server: tool" for a tool of
// an MCP server, and the argument.
func activityToolUse(p *Pen, e *events.DisplayEvent) {
	if e.Tool.Partial {
		return
	}
	width, _ := p.room()
	p.Line(CallOf(&e.Tool).Fit(max(width, 0)))
}

// activityToolResult writes "Read calc.go → 12 lines (340ms)", if results are shown.
func activityToolResult(p *Pen, e *events.DisplayEvent) {
	if p.Results {
		p.Line(CallOf(&e.Tool).Fit(0), " → ", outcome(&e.Tool), took(p, &e.Tool))
	}
}

func activityNotice(p *Pen, e *events.DisplayEvent) {
	if e.Notice.Code == events.NoticeAPIRetry {
		p.Line(text.Colon("retrying API call", text.FirstLine(e.Text)))
	} else if head := noticeHead(e.Notice.Level); head != "" {
		p.Line(text.Colon(head, noticeText(e)))
	}
}

func activityPhase(p *Pen, e *events.DisplayEvent) {
	p.Line(text.Colon("phase", text.FirstLine(e.Text)))
}

// activitySessionStarted writes "started · model · agent", with the parts that are known.
func activitySessionStarted(p *Pen, e *events.DisplayEvent) {
	line := "started"
	for _, part := range []string{text.Brief(e.Model), text.Brief(p.Agent)} {
		if part != "" {
			line += " · " + part
		}
	}
	p.Line(line)
}

// activityTurnDone shows a turn that failed.
func activityTurnDone(p *Pen, e *events.DisplayEvent) {
	if failed(e.End) {
		p.Line(text.Colon("turn failed", failure(e.End)))
	}
}

func activityTurnAborted(p *Pen, e *events.DisplayEvent) { p.Line(text.Colon(aborted(e.End))) }

// activitySessionEnded writes "finished (4.1s)", "failed: why", "incomplete: why" or "interrupted".
func activitySessionEnded(p *Pen, e *events.DisplayEvent) {
	line := "finished"
	switch {
	case interrupted(e.End):
		line = "interrupted"
	case failed(e.End):
		line = text.Colon(howFailed(e.End), failure(e.End))
	}
	if e.End != nil && e.End.Duration > 0 {
		line += " (" + text.Short(e.End.Duration) + ")"
	}
	p.Line(line)
}

func activityApproval(p *Pen, e *events.DisplayEvent) {
	p.Line(text.Colon("waiting for approval", approval(e.Approval)))
}

func activityAsk(p *Pen, e *events.DisplayEvent) {
	for _, q := range questions(e.Ask) {
		p.Line(text.Colon("asking", q))
	}
}

// Waiting returns what the user is asked.
func Waiting(e *events.DisplayEvent) string {
	if e.Kind == events.KindApprovalRequest {
		return text.Colon("waiting for approval", approval(e.Approval))
	}
	for _, q := range questions(e.Ask) {
		return text.Colon("asking", q)
	}
	return ""
}
