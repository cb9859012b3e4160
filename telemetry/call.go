package telemetry

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/events"
)

// call is a tool call, from its ToolUse to its end. Closed calls stay known for a while, for results that come late.
type call struct {
	id         string
	occurrence int
	spanID     pcommon.SpanID
	caller     *agent
	name       string
	target     string
	executable string // of a command line that starts one process
	agentType  string
	server     string
	arguments  string // captured only
	span       interval
	child      *agent   // the sub-agent that it started, if this stream shows its work
	agentID    string   // the provider's id of that sub-agent, once told
	ref        *callRef // the same call, for the stream of that sub-agent; nil before
	// unknownParent is the call that the agent which made this one was started by, if nobody saw that call.
	unknownParent string
	closed        bool
}

// calls are the calls of one run by their ids.
type calls struct {
	limit int // remembered ids
	byID  map[string]*call
	open  []*call  // oldest first
	ended []string // ids of closed calls, oldest first, to forget from
}

func newCalls(limit int) calls {
	return calls{limit: limit, byID: map[string]*call{}}
}

// add enters an open call.
func (c *calls) add(n *call) {
	c.byID[n.id] = n
	c.open = append(c.open, n)
}

// close marks a call closed. Its id stays known until there are too many.
func (c *calls) close(n *call) {
	n.closed = true
	if i := slices.Index(c.open, n); i >= 0 {
		c.open = slices.Delete(c.open, i, i+1)
	}
	c.ended = append(c.ended, n.id)
	if len(c.ended) <= c.limit {
		return
	}
	oldest := c.ended[0]
	c.ended = c.ended[1:]
	if old := c.byID[oldest]; old != nil && old.closed {
		delete(c.byID, oldest)
	}
}

// describe fills in what a result does not tell itself: the name and the target of its call.
func (n *call) describe(t *events.Tool) {
	if t.Name == "" {
		t.Name = n.name
	}
	if t.Target == "" {
		t.Target = n.target
	}
	if t.AgentType == "" {
		t.AgentType = n.agentType
	}
	if t.Server == "" {
		t.Server = n.server
	}
}

// tellSpan lets the stream of the sub-agent that the call started know when it was.
func (n *call) tellSpan() {
	if n.ref != nil {
		span := n.span
		n.ref.span.Store(&span)
	}
}
