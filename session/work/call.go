package work

import (
	"slices"
	"strings"

	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/toolcall"
)

// Call is a tool call of an agent, from ToolUse to its end. Closed calls are remembered for a while, for late results.
type Call struct {
	toolcall.Call
	Caller    *Agent
	Child     *Agent // the sub-agent that it started, if its work is in this stream
	Task      int32  // the number of earlier calls to the same sub-agent
	state     callState
	Elsewhere bool // the first account of the run exported its span
	Anonymous bool // the format has no ID for it
}

// callState is the state of a call.
type callState uint8

const (
	callOpen    callState = iota
	callClosed            // within the time of its agent
	callOutside           // closed, and it began after its agent's span was closed
)

// Closed reports whether the call is over.
func (c *Call) Closed() bool { return c.state != callOpen }

// MoveOutside records that a closed call began after the span of its agent was closed, and IsOutside reports that.
func (c *Call) MoveOutside()    { c.state = callOutside }
func (c *Call) IsOutside() bool { return c.state == callOutside }

// Calls holds the calls of one run by ID.
type Calls struct {
	byID  map[string]*Call                          // nil before the first
	open  []*Call                                   // oldest first
	ended []string                                  // IDs of closed calls, oldest first, for eviction
	early *memory.Map[string, toolcall.EarlyResult] // nil before the first
}

// Get returns a call that is open or remembered, or nil.
func (c *Calls) Get(id string) *Call { return c.byID[id] }

// AnyOpen reports whether a call is open.
func (c *Calls) AnyOpen() bool { return len(c.open) > 0 }

// Open returns the open calls, oldest first.
func (c *Calls) Open() []*Call { return c.open }

// Add adds an open call.
func (c *Calls) Add(n *Call) {
	if c.byID == nil {
		c.byID = map[string]*Call{}
	}
	c.byID[n.ID] = n
	c.open = append(c.open, n)
	n.Caller.open.calls = append(n.Caller.open.calls, n)
}

// Anonymous returns the ID of the newest open call of a tool for which the format has none, or an empty one. The result of such a
// call, as of Codex's plan_update, follows at once.
func (c *Calls) Anonymous(tool string) string {
	for _, one := range slices.Backward(c.open) {
		if one.Anonymous && one.Name == tool {
			return one.ID
		}
	}
	return ""
}

// Close marks a call closed. Its ID is remembered until limit newer calls are closed. It reports whether another was evicted.
func (c *Calls) Close(n *Call, limit int) (forgot bool) {
	n.state = callClosed
	remove(&c.open, n)
	remove(&n.Caller.open.calls, n)
	c.ended = append(c.ended, n.ID)
	if len(c.ended) <= limit {
		return false
	}
	oldest := c.ended[0]
	c.ended = c.ended[1:]
	if old := c.byID[oldest]; old != nil && old.Closed() {
		delete(c.byID, oldest)
		forgot = true
	}
	return forgot
}

// SetEarly stores a result that precedes its call, at most limit of them. It reports whether another was evicted.
func (c *Calls) SetEarly(id string, early toolcall.EarlyResult, limit int) (forgot bool) {
	if c.early == nil {
		c.early = &memory.Map[string, toolcall.EarlyResult]{Limit: limit}
	}
	return c.early.Set(strings.Clone(id), early)
}

// StartsAgent reports whether the call starts a sub-agent that works in another stream, if it works at all.
func (c *Call) StartsAgent() bool { return c.AgentType != "" && c.Child == nil }

// startsAny reports whether sub-agents may be at work for the call, in any stream, also if it does not name them.
func (c *Call) startsAny() bool {
	return otlp.ToolKind(c.Name, c.Server, c.AgentType != "" || c.Child != nil) == otlp.ToolKindAgent
}

// Exported reports whether this stream exports the span of the call.
func (c *Call) Exported() bool { return c.Caller.Exports() && !c.Elsewhere }

// Link returns what the sub-agent that a call started needs to know of the call.
func (c *Call) Link() *link.Call {
	return &link.Call{Span: c.SpanID, Type: c.AgentType, Tool: c.Name, Exported: c.Exported()}
}

// TakeEarly returns and removes the result that preceded a call.
func (c *Calls) TakeEarly(id string) (toolcall.EarlyResult, bool) { return c.early.Take(id) }
