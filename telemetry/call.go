package telemetry

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/memory"
	"github.com/tailspan/tailspan/session/outcome"
)

// call is a tool call, from its ToolUse to its end. Closed calls stay known for a while, for results that come late.
type call struct {
	id         string
	spanID     otlp.SpanID
	content    [otlp.HashBytes]byte // a hash of what it does, of which its ids are made too
	caller     *agent
	name       string
	target     string
	agentType  string
	server     string
	span       clock.Interval
	child      *agent // the sub-agent that it started, if this stream shows its work
	agentID    string // the provider's id of that sub-agent, once known
	shown      *shownCall
	occurrence int32
	task       int32 // how many calls asked that sub-agent before
	asks       bool  // it waits for leave before it runs
	background bool  // it began after its maker's span was closed
	closed     bool
	elsewhere  bool // the first account of the run exported its span
}

// shownCall is what only the span of a call shows. Most calls have nothing of it, and none does once it is over.
type shownCall struct {
	executable string // of a command line that starts one process
	arguments  string // captured only
	// unknownParent is the call that the agent which made this one was started by, if nobody saw that call.
	unknownParent string
}

// show is what only the span shows, to add to.
func (c *call) show() *shownCall {
	if c.shown == nil {
		c.shown = new(shownCall)
	}
	return c.shown
}

// describe fills in what a result lacks: the name and the target of its call.
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

// measure gives a result the time since its call where the provider reports no duration and both times are as good as
// one. What goes on in the background has no duration yet.
func (n *call) measure(t *events.Tool, at *clock.Moment) {
	from := &n.span.Start
	if t.Duration > 0 || n.closed || t.State == events.ToolStateBackground || at.Source != from.Source {
		return
	}
	if at.Source == clock.SourceLine || at.Source == clock.SourceArrival {
		t.Duration = max(at.At.Sub(from.At), 0)
	}
}

func toolType(c *call) string {
	if c.server != "" {
		return otlp.ToolTypeExtension
	}
	return otlp.ToolTypeFunction
}

// calls are the calls of one run by their ids.
type calls struct {
	byID  map[string]*call                 // nil before the first
	open  []*call                          // oldest first
	ended []string                         // ids of closed calls, oldest first, to forget from
	early *memory.Map[string, earlyResult] // nil before the first
}

// earlyResult is a result whose call was not seen yet.
type earlyResult struct {
	tool     events.Tool
	at       clock.Moment
	abridged bool
}

// newEarlyResult keeps of a result what its call's span needs: no texts that are borrowed, or longer than a span shows.
func newEarlyResult(t *events.Tool, at clock.Moment) earlyResult {
	early := earlyResult{tool: *t, at: at}
	kept := &early.tool
	kept.Input, kept.Output = nil, nil
	kept.Target, kept.Err = "", events.CutRunes(kept.Err, otlp.ErrTextRunes)
	own(&kept.ID, &kept.Name, &kept.AgentType, &kept.AgentID, &kept.Server, &kept.Err, &kept.Summary)
	return early
}

// add enters an open call.
func (c *calls) add(n *call) {
	if c.byID == nil {
		c.byID = map[string]*call{}
	}
	c.byID[n.id] = n
	c.open = append(c.open, n)
	n.caller.open.calls = append(n.caller.open.calls, n)
}

// close marks a call closed. Its id stays known until there are more than limit; then the oldest is evicted.
func (c *calls) close(n *call, limit int) (forgot bool) {
	n.closed = true
	remove(&c.open, n)
	remove(&n.caller.open.calls, n)
	c.ended = append(c.ended, n.id)
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

// setEarly keeps a result that comes before its call; as many as calls may be open.
func (c *calls) setEarly(id string, early earlyResult, limits *Limits) (forgot bool) {
	if c.early == nil {
		c.early = &memory.Map[string, earlyResult]{Limit: min(limits.OpenCalls, limits.RememberedIDs)}
	}
	return c.early.Set(strings.Clone(id), early)
}

// startCall opens a call. One of the same id that is still open is superseded: the source says that this is another.
func (s *Stream) startCall(a *agent, ev *events.DisplayEvent, at clock.Moment, o origin) *call {
	t := &ev.Tool
	r := a.run
	if t.ID == "" {
		// Nothing can answer it, but it is a call all the same.
		t.ID = cmp.Or(ev.ItemID, "call@"+strconv.FormatInt(o.offset, 10)) + "#" + strconv.Itoa(o.index)
	}
	if old := r.calls.byID[t.ID]; old != nil && !old.closed {
		s.closeCall(old, outcome.WithoutResult(otlp.CloseReasonSuperseded))
	}
	if len(r.calls.open) >= s.registry.settings.Limits.OpenCalls {
		s.count().EvictedCalls++
		s.closeCall(r.calls.open[0], outcome.WithoutResult(otlp.CloseReasonEvicted))
	}
	c := &call{
		id: t.ID, caller: a, name: otlp.ToolName(t.Name), asks: t.Asks, server: t.Server, agentType: t.AgentType,
		target: otlp.CutTarget(t.Target, s.registry.settings.Limits.TargetRunes),
	}
	executable := executableOf(t.Name, t.Target)
	otlp.Bound(&executable, otlp.NameBytes)
	what, detail := saidBy(ev)
	own(&c.id, &c.name, &c.server, &c.agentType, &c.target, &executable)
	if executable != "" {
		c.show().executable = executable
	}
	if s.registry.settings.Capture.ToolInput {
		s.holdArguments(c, t.Input)
	}
	if a.call == nil && ev.ParentID != "" {
		c.show().unknownParent = strings.Clone(ev.ParentID)
	}
	t.Target = c.target // the record has it cut in the same way
	c.span.Cover(&at)
	occurrence := s.seen.nth(&s.seen.calls, r.idScope, c.id, what, detail)
	c.occurrence = int32(occurrence)
	r.calls.add(c)
	if r.closed {
		s.linger(r, 1)
	}
	c.spanID, c.content = otlp.CallIDs(occurrence, s.settings.Agent.Provider, r.idSession, r.idScope, c.id, what, detail)
	c.elsewhere = s.isElsewhere(r, ev, r.isJoined() && s.registry.spanIsOut(r.traceID, c.spanID))
	a.callMade()
	s.announceAgent(c, t.AgentID)
	return c
}

// resultOf finds the call that a result answers, in the run or, for work in the background, in the one before. A result
// that comes before its call waits for it.
func (s *Stream) resultOf(ev *events.DisplayEvent, at clock.Moment) *call {
	c := s.findCall(ev.Tool.ID)
	if c == nil {
		s.count().UnknownCalls++
		early := newEarlyResult(&ev.Tool, at)
		early.abridged = ev.Abridged
		if s.run.calls.setEarly(ev.Tool.ID, early, &s.registry.settings.Limits) {
			s.count().ForgottenIDs++
		}
		return nil
	}
	c.describe(&ev.Tool)
	c.measure(&ev.Tool, &at)
	s.announceAgent(c, ev.Tool.AgentID)
	return c
}

// progressOf finds the call that a progress event is about.
func (s *Stream) progressOf(ev *events.DisplayEvent) *call {
	c := s.findCall(ev.Tool.ID)
	if c != nil {
		if c.agentType == "" {
			c.agentType = strings.Clone(ev.Tool.AgentType) // of the agent that it asked again
		}
		c.describe(&ev.Tool)
		s.announceAgent(c, ev.Tool.AgentID)
	}
	return c
}

// asksLeave notes that a call waits for leave.
func (s *Stream) asksLeave(ev *events.DisplayEvent) {
	if ev.Approval == nil || ev.Approval.ID == "" {
		return
	}
	if c := s.findCall(ev.Approval.ID); c != nil {
		c.asks = true
	}
}

// kind is what kind of tool the call is of.
func (n *call) kind() string {
	return otlp.ToolKind(n.name, n.server, n.agentType != "" || n.child != nil || n.agentID != "")
}
