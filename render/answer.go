package render

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/memory"
)

// answer knows whether a run has said or done anything. The result of one that has not is its answer: the document of
// --output-format json holds nothing else (Claude Code 2.1). Of all other runs it is the last text again.
type answer struct{ worked bool }

// of is the text that an event at the end of a run has to be shown as; empty for nearly all.
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
