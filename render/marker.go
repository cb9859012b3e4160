package render

import (
	"strings"

	"github.com/tailspan/tailspan/events"
)

// markerToolUse is "[tool: Read(calc.go)]", or "[tool: Read]" for a call without argument. The early sight of a call
// (Partial) waits for the whole one.
func markerToolUse(r *Renderer, e *events.DisplayEvent) {
	if e.Tool.Partial {
		return
	}
	r.line("[tool: ", markerCall(&e.Tool), "]")
}

// markerCall is "Read(calc.go)", or "Read" for a call without argument.
func markerCall(t *events.Tool) string {
	if arg := strings.TrimSpace(t.Arg()); arg != "" {
		return toolName(t.Name) + "(" + arg + ")"
	}
	return toolName(t.Name)
}

// markerToolResult is "[result: Read(calc.go) → 12 lines (340ms)]", where results are asked for.
func markerToolResult(r *Renderer, e *events.DisplayEvent) {
	if r.settings.Results {
		r.line("[result: ", markerCall(&e.Tool), " → ", outcome(&e.Tool), took(r, &e.Tool), "]")
	}
}

// bracket writes "[head: detail]", "[head]" without a detail.
func (r *Renderer) bracket(head, detail string) { r.line("[", colon(head, detail), "]") }

// bracketNotice shows warnings and errors; what is mere information is left out.
func bracketNotice(r *Renderer, e *events.DisplayEvent) {
	if head := noticeHead(e.Notice.Level); head != "" {
		r.bracket(head, noticeText(e))
	}
}

func bracketPhase(r *Renderer, e *events.DisplayEvent) { r.bracket("phase", firstLine(e.Text)) }

// bracketTurnDone shows a turn that failed.
func bracketTurnDone(r *Renderer, e *events.DisplayEvent) {
	if failed(e.End) {
		r.bracket("turn failed", failure(e.End))
	}
}

func bracketTurnAborted(r *Renderer, e *events.DisplayEvent) { r.bracket(aborted(e.End)) }

// bracketSessionEnded shows a run that failed or was interrupted. One that ended well has said so itself.
func bracketSessionEnded(r *Renderer, e *events.DisplayEvent) {
	switch {
	case interrupted(e.End):
		r.bracket("run interrupted", "")
	case failed(e.End):
		r.bracket("run failed", failure(e.End))
	}
}

func bracketApproval(r *Renderer, e *events.DisplayEvent) {
	r.bracket("approval", approval(e.Approval))
}

// bracketAsk shows one line a question.
func bracketAsk(r *Renderer, e *events.DisplayEvent) {
	for _, q := range questions(e.Ask) {
		r.bracket("question", q)
	}
}
