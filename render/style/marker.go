package style

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/text"
)

// markerToolUse writes "[tool: Read(calc.go)]", or "[tool: Read]" for a call without argument. It ignores the early
// view of a call (Partial), which the complete one follows.
func markerToolUse(p *Pen, e *events.DisplayEvent) {
	if e.Tool.Partial {
		return
	}
	p.Line("[tool: ", markerCall(&e.Tool), "]")
}

// markerCall returns "Read(calc.go)", or "Read" for a call without argument.
func markerCall(t *events.Tool) string {
	if arg := strings.TrimSpace(t.Arg()); arg != "" {
		return ToolName(t.Name) + "(" + arg + ")"
	}
	return ToolName(t.Name)
}

// markerToolResult writes "[result: Read(calc.go) → 12 lines (340ms)]", if results are shown.
func markerToolResult(p *Pen, e *events.DisplayEvent) {
	if p.Results {
		p.Line("[result: ", markerCall(&e.Tool), " → ", outcome(&e.Tool), took(p, &e.Tool), "]")
	}
}

// bracket writes "[head: detail]", or "[head]" without a detail.
func (p *Pen) bracket(head, detail string) { p.Line("[", text.Colon(head, detail), "]") }

// bracketNotice shows warnings and errors. It omits notices of level info.
func bracketNotice(p *Pen, e *events.DisplayEvent) {
	if head := noticeHead(e.Notice.Level); head != "" {
		p.bracket(head, noticeText(e))
	}
}

func bracketPhase(p *Pen, e *events.DisplayEvent) { p.bracket("phase", text.FirstLine(e.Text)) }

// bracketTurnDone shows a turn that failed.
func bracketTurnDone(p *Pen, e *events.DisplayEvent) {
	if failed(e.End) {
		p.bracket("turn failed", failure(e.End))
	}
}

func bracketTurnAborted(p *Pen, e *events.DisplayEvent) { p.bracket(aborted(e.End)) }

// bracketSessionEnded shows a run that failed or was interrupted. A successful run has its own last text.
func bracketSessionEnded(p *Pen, e *events.DisplayEvent) {
	switch {
	case interrupted(e.End):
		p.bracket("run interrupted", "")
	case failed(e.End):
		p.bracket("run "+howFailed(e.End), failure(e.End))
	}
}

func bracketApproval(p *Pen, e *events.DisplayEvent) {
	p.bracket("approval", approval(e.Approval))
}

// bracketAsk shows one line per question.
func bracketAsk(p *Pen, e *events.DisplayEvent) {
	for _, q := range questions(e.Ask) {
		p.bracket("question", q)
	}
}
