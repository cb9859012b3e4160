package telemetry

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/toolcall"
)

// call is a tool call of an agent, from ToolUse to its end. Closed calls are remembered for a while, for late results.
type call struct {
	toolcall.Call
	caller     *agent
	child      *agent // the sub-agent that it started, if its work is in this stream
	task       int32  // the number of earlier calls to the same sub-agent
	background bool   // it began after its agent's span was closed
	closed     bool
	elsewhere  bool // the first account of the run exported its span
	anonymous  bool // the format has no ID for it
}

// calls holds the calls of one run by ID.
type calls struct {
	byID  map[string]*call                          // nil before the first
	open  []*call                                   // oldest first
	ended []string                                  // IDs of closed calls, oldest first, for eviction
	early *memory.Map[string, toolcall.EarlyResult] // nil before the first
}

// add adds an open call.
func (c *calls) add(n *call) {
	if c.byID == nil {
		c.byID = map[string]*call{}
	}
	c.byID[n.ID] = n
	c.open = append(c.open, n)
	n.caller.open.calls = append(n.caller.open.calls, n)
}

// anonymous returns the ID of the newest open call of a tool for which the format has none, or an empty one. The result of such a
// call, as of Codex's plan_update, follows at once.
func (c *calls) anonymous(tool string) string {
	for _, one := range slices.Backward(c.open) {
		if one.anonymous && one.Name == tool {
			return one.ID
		}
	}
	return ""
}

// close marks a call closed. Its ID is remembered until limit newer calls are closed. It reports whether another was evicted.
func (c *calls) close(n *call, limit int) (forgot bool) {
	n.closed = true
	remove(&c.open, n)
	remove(&n.caller.open.calls, n)
	c.ended = append(c.ended, n.ID)
	if len(c.ended) <= limit {
		return false
	}
	oldest := c.ended[0]
	c.ended = c.ended[1:]
	if old := c.byID[oldest]; old != nil && old.closed {
		delete(c.byID, oldest)
		forgot = true
	}
	return forgot
}

// setEarly stores a result that precedes its call; at most as many as there may be open calls.
func (c *calls) setEarly(id string, early toolcall.EarlyResult, limits *Limits) (forgot bool) {
	if c.early == nil {
		c.early = &memory.Map[string, toolcall.EarlyResult]{Limit: min(limits.OpenCalls, limits.RememberedIDs)}
	}
	return c.early.Set(strings.Clone(id), early)
}

// startCall opens a call. It supersedes an open call of the same ID, because the source declares a new one.
func (s *Stream) startCall(a *agent, ev *events.DisplayEvent, at clock.Moment, o origin) *call {
	t := &ev.Tool
	r := a.run
	anonymous := t.ID == ""
	if anonymous {
		// Only a result without an ID can refer to it, but it is still a call.
		t.ID = cmp.Or(ev.ItemID, "call@"+strconv.FormatInt(o.offset, 10)) + "#" + strconv.Itoa(o.index)
	}
	if old := r.calls.byID[t.ID]; old != nil && !old.closed {
		s.closeCall(old, outcome.WithoutResult(otlp.CloseReasonSuperseded))
	}
	if len(r.calls.open) >= s.registry.settings.Limits.OpenCalls {
		s.count().EvictedCalls++
		s.closeCall(r.calls.open[0], outcome.WithoutResult(otlp.CloseReasonEvicted))
	}
	c := &call{Call: toolcall.New(t, s.registry.settings.Limits.TargetRunes), caller: a, anonymous: anonymous}
	what, detail := saidBy(ev)
	if s.registry.settings.Capture.ToolInput {
		s.holdArguments(c, t.Input)
	}
	if a.call == nil && ev.ParentID != "" {
		c.MadeBelow(ev.ParentID)
	}
	t.Target = c.Target // the record cuts it in the same way
	c.Span.Cover(&at)
	occurrence := s.seen.Nth(&s.seen.Calls, r.idScope, c.ID, what, detail)
	c.Occurrence = int32(occurrence)
	r.calls.add(c)
	if r.closed {
		s.linger(r, 1)
	}
	c.SpanID, c.Content = otlp.CallIDs(occurrence, s.settings.Agent.Provider, r.idSession, r.idScope, c.ID, what, detail)
	c.elsewhere = s.isElsewhere(r, ev, a.isJoined() && s.registry.ids.HasSpan(otlp.SpanRef{Trace: r.traceID, Span: c.SpanID}))
	a.callMade()
	s.announceAgent(c, t.AgentID)
	return c
}

// resultOf finds the call of a result, in the current run or, for background work, in an earlier one. A result that
// precedes its call is stored for it.
func (s *Stream) resultOf(ev *events.DisplayEvent, at clock.Moment) *call {
	if ev.Tool.ID == "" {
		ev.Tool.ID = s.run.calls.anonymous(ev.Tool.Name)
	}
	c := s.findCall(ev.Tool.ID)
	if c == nil {
		s.count().UnknownCalls++
		if s.run.calls.setEarly(ev.Tool.ID, toolcall.NewEarlyResult(&ev.Tool, at, ev.Abridged), &s.registry.settings.Limits) {
			s.count().ForgottenIDs++
		}
		return nil
	}
	c.Describe(&ev.Tool)
	if !c.closed {
		c.Measure(&ev.Tool, &at)
	}
	s.announceAgent(c, ev.Tool.AgentID)
	return c
}

// progressOf finds the call of a progress event.
func (s *Stream) progressOf(ev *events.DisplayEvent) *call {
	c := s.findCall(ev.Tool.ID)
	if c != nil {
		if c.AgentType == "" {
			c.AgentType = strings.Clone(ev.Tool.AgentType) // of the agent that it called again
		}
		c.Describe(&ev.Tool)
		s.announceAgent(c, ev.Tool.AgentID)
	}
	return c
}

// noteApproval records that a call waits for approval.
func (s *Stream) noteApproval(ev *events.DisplayEvent) {
	if ev.Approval == nil || ev.Approval.ID == "" {
		return
	}
	if c := s.findCall(ev.Approval.ID); c != nil {
		c.Asks = true
	}
}
