package render

import (
	"strings"

	"github.com/tailspan/tailspan/events"
)

// quietSessionEnded is "Run finished", "Run failed: why" or "Run interrupted", and in parentheses which and how long.
func quietSessionEnded(r *Renderer, e *events.DisplayEvent) {
	line := "Run finished"
	switch {
	case interrupted(e.End):
		line = "Run interrupted"
	case failed(e.End):
		line = colon("Run failed", failure(e.End))
	}
	r.line(line, aside(e))
}

// quietTurnDone shows a turn that failed.
func quietTurnDone(r *Renderer, e *events.DisplayEvent) {
	if failed(e.End) {
		r.line(colon("Turn failed", failure(e.End)), aside(e))
	}
}

func quietTurnAborted(r *Renderer, e *events.DisplayEvent) {
	head, detail := aborted(e.End)
	r.line(strings.ToUpper(head[:1])+colon(head[1:], detail), aside(e))
}

// aside is " (session 1a2b3c4d, 4.1s)" with what is known of it, empty if nothing is.
func aside(e *events.DisplayEvent) string {
	var parts []string
	if id := sessionID(e.SessionID); id != "" {
		parts = append(parts, "session "+id)
	}
	if e.End != nil && e.End.Duration > 0 {
		parts = append(parts, short(e.End.Duration))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
