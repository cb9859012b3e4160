package style

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/text"
)

// quietSessionEnded writes "Run finished", "Run failed: why", "Run incomplete: why" or "Run interrupted", with session and duration in parentheses.
func quietSessionEnded(p *Pen, e *events.DisplayEvent) {
	line := "Run finished"
	switch {
	case interrupted(e.End):
		line = "Run interrupted"
	case failed(e.End):
		line = text.Colon("Run "+howFailed(e.End), failure(e.End))
	}
	p.Line(line, aside(e))
}

// quietTurnDone shows a turn that failed.
func quietTurnDone(p *Pen, e *events.DisplayEvent) {
	if failed(e.End) {
		p.Line(text.Colon("Turn failed", failure(e.End)), aside(e))
	}
}

func quietTurnAborted(p *Pen, e *events.DisplayEvent) {
	head, detail := aborted(e.End)
	p.Line(strings.ToUpper(head[:1])+text.Colon(head[1:], detail), aside(e))
}

// aside returns " (session 1a2b3c4d, 4.1s)" with the parts that are known, or "" if none is.
func aside(e *events.DisplayEvent) string {
	var parts []string
	if id := text.SessionID(e.SessionID); id != "" {
		parts = append(parts, "session "+id)
	}
	if e.End != nil && e.End.Duration > 0 {
		parts = append(parts, text.Short(e.End.Duration))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
