package render

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/memory"
)

// answer tracks whether a run has said or done anything. If it has not, its result is its answer: the document of
// --output-format json holds nothing else (Claude Code 2.1). The result of any other run repeats the last text.
type answer struct{ worked bool }

// of returns the text to show for an event at the end of a run. It is empty for nearly all runs.
func (a *answer) of(e *events.DisplayEvent) string {
	switch {
	case memory.KeyOf(e) != (memory.Key{}): // a sub-agent
	case e.Kind == events.KindText, e.Kind == events.KindToolUse:
		a.worked = true
	case e.Kind == events.KindSessionEnded:
		worked := a.worked
		a.worked = false
		if e.End != nil && !e.End.Error && !e.End.Interrupted && !worked && strings.TrimSpace(e.End.Result) != "" {
			return e.End.Result
		}
	}
	return ""
}
