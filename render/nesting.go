package render

import (
	"strings"

	"github.com/tailspan/tailspan/events"
)

// maxLevel is the deepest level of sub-agents that is indented further, and indent the step of one level.
const (
	maxLevel = 6
	indent   = "  "
)

// nesting knows how deep a sub-agent works. Only the calls of sub-agents have to be remembered: those of the main thread
// start sub-agents of the first level, as unknown ones do.
type nesting struct {
	limit  int
	levels map[string]int // by id of a call that a sub-agent made
	order  []string
}

// note remembers a call that a sub-agent made.
func (n *nesting) note(e *events.DisplayEvent) {
	if e.ParentID == "" || e.Tool.ID == "" {
		return
	}
	if n.levels == nil {
		n.levels = make(map[string]int)
	}
	if _, known := n.levels[e.Tool.ID]; known {
		return
	}
	n.levels[e.Tool.ID] = n.level(e.ParentID)
	n.order = append(n.order, e.Tool.ID)
	if len(n.order) > n.limit {
		delete(n.levels, n.order[0])
		n.order = n.order[1:]
	}
}

// level is how deep the agent works that the call parent started: 0 for the main thread.
func (n *nesting) level(parent string) int {
	if parent == "" {
		return 0
	}
	return min(n.levels[parent]+1, maxLevel)
}

// indent is the white space before the lines of the agent that the call parent started.
func (n *nesting) indent(parent string) string {
	if parent == "" {
		return ""
	}
	return strings.Repeat(indent, n.level(parent))
}
