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
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pending"
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
func (s *agentWork) startCall(a *agent, ev *events.DisplayEvent, at clock.Moment, o pending.Origin) *call {
	t := &ev.Tool
	r := a.run
	anonymous := t.ID == ""
	if anonymous {
		// Only a result without an ID can refer to it, but it is still a call.
		t.ID = cmp.Or(ev.ItemID, "call@"+strconv.FormatInt(o.Offset, 10)) + "#" + strconv.Itoa(o.Index)
	}
	if old := r.calls.byID[t.ID]; old != nil && !old.closed {
		s.closeCall(old, outcome.WithoutResult(otlp.CloseReasonSuperseded))
	}
	if len(r.calls.open) >= s.registry.settings.Limits.OpenCalls {
		s.count().EvictedCalls++
		s.closeCall(r.calls.open[0], outcome.WithoutResult(otlp.CloseReasonEvicted))
	}
	c := &call{Call: toolcall.New(t, s.registry.settings.Limits.TargetRunes), caller: a, anonymous: anonymous}
	what, detail := content.Said(ev)
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
func (s *agentWork) resultOf(ev *events.DisplayEvent, at clock.Moment) *call {
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
func (s *agentWork) progressOf(ev *events.DisplayEvent) *call {
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
func (s *agentWork) noteApproval(ev *events.DisplayEvent) {
	if ev.Approval == nil || ev.Approval.ID == "" {
		return
	}
	if c := s.findCall(ev.Approval.ID); c != nil {
		c.Asks = true
	}
}

// findCall searches for a call in the current run and in the latest runs that still have an active agent.
func (s *agentWork) findCall(id string) *call {
	if c := s.run.calls.byID[id]; c != nil {
		return c
	}
	if before := s.run.continues.calls; before != nil && before.byID[id] != nil {
		return before.byID[id]
	}
	for i, searched := len(s.open.busy)-1, 0; i >= 0 && searched < maxSearchedRuns; i, searched = i-1, searched+1 {
		if c := s.open.busy[i].calls.byID[id]; c != nil {
			return c
		}
	}
	return nil
}

// holdArguments keeps the arguments of a call for its span if the arguments of all open calls stay within the limit.
func (s *agentWork) holdArguments(c *call, arguments []byte) {
	limits := &s.registry.settings.Limits
	if n := min(len(arguments), limits.ContentBytes); s.open.arguments+n > limits.PendingBytes {
		s.count().DroppedArguments++
		return
	}
	if held := otlp.CutLater(arguments, limits.ContentBytes); held != "" {
		c.Hold(held)
		s.open.arguments += len(held)
	}
}

// linger remembers a closed run for n open calls. All closed runs together may have as many open calls as one active
// run; the oldest are closed first.
func (s *agentWork) linger(r *run, n int) {
	s.open.lateCalls += n
	if !r.work.late {
		r.work.late = true
		s.open.lingering = append(s.open.lingering, r)
	}
	for s.open.lateCalls > s.registry.settings.Limits.OpenCalls {
		s.count().EvictedCalls++
		s.closeCall(s.open.lingering[0].calls.open[0], outcome.WithoutResult(otlp.CloseReasonEvicted))
	}
}

// closeLingering closes the open calls of closed runs and sub-agents.
func (s *agentWork) closeLingering(reason otlp.CloseReason) {
	for _, a := range slices.Clone(s.open.late) {
		s.closeChat(a)
	}
	for _, r := range slices.Clone(s.open.lingering) {
		for _, c := range slices.Clone(r.calls.open) {
			s.closeCall(c, outcome.WithoutResult(reason))
		}
	}
}

// finishCall closes the call that a result answers. A second result changes nothing.
func (s *agentWork) finishCall(c *call, t *events.Tool, at clock.Moment, abridged bool) {
	switch {
	case c == nil:
		return
	case c.closed:
		s.count().LateResults++
		return
	}
	out := outcome.OfResult(t, abridged)
	c.Span.End = at
	if !out.Background { // otherwise the duration may be that of the work, which continues
		if waited := c.Span.Lasts(t.Duration); c.Asks {
			out.ApprovalWait = waited
		}
	}
	if c.child != nil {
		if out.Background {
			c.child.background = true
		} else {
			s.closeAgent(c.child, outcome.OfAgent(t))
			c.Span.CoverAll(&c.child.span)
		}
	}
	if s.registry.settings.Capture.ToolOutput {
		out.Result = string(t.Output)
	}
	s.closeCall(c, out)
}

// finishBackground closes a background sub-agent when a notice reports the end of its work. Only one account of a run may have the
// notice, since a stream can end before it, so each account counts. Copied history does not: it may differ from the original.
func (s *agentWork) finishBackground(c *call, ev *events.DisplayEvent) {
	if c == nil || !c.closed {
		return // a foreground call: its result follows
	}
	v, over := outcome.OfNotice(&ev.Tool)
	if !over {
		return
	}
	if r := c.caller.run; c.AgentID != "" && (r.exports() || r.isJoined()) {
		s.followUp.notify(s.registry.links.End(s.keyOf(c), r.ref, c.SpanID, link.End{Verdict: v, Took: ev.Tool.Duration}))
	}
	if c.child != nil && (c.child.background || c.child.detached) {
		if c.task == 0 && !c.child.closed { // the duration reported later is since the start of the first task
			c.child.coverDuration(ev.Tool.Duration)
		}
		s.closeAgent(c.child, v)
	}
}

// closeCall closes a call and everything open below it.
func (s *agentWork) closeCall(c *call, out outcome.Call) {
	if c.closed {
		return
	}
	if c.caller.run.calls.close(c, s.registry.settings.Limits.RememberedIDs) {
		s.count().ForgottenIDs++
	}
	s.open.callClosed(c.caller.run)
	if c.Requested && out.ErrorType == otlp.ErrorTypeNoResult {
		out.ErrorType = ""
	}
	if out.ErrorType != "" {
		c.caller.callFailed()
	}
	if out.Reason != otlp.CloseReasonResult && !out.HasResult {
		if !c.Requested {
			s.count().UnclosedCalls++
		}
		if c.child != nil && !c.child.background {
			s.closeAgent(c.child, outcome.Closed(out.Reason))
		}
		// It lasted as long as its agent was active.
		c.Span.Cover(&c.caller.span.End)
	}
	clamped := c.Span.Clamp()
	switch {
	case !c.caller.closed:
		c.caller.cover(&c.Span.Start, &c.Span.End)
	case c.Span.Start.At.After(c.caller.span.End.At):
		c.background = true // it was made after its agent's span was closed
	default:
		clamped = c.Span.ClampInto(c.caller.span) || clamped // the parent's span was exported already
	}
	c.caller.inside.CoverAll(&c.Span)
	s.announceEnd(c, out)
	s.writeCall(c, out, clamped)
	s.open.dropArguments(c) // a closed call is remembered for long
	s.allWritten(c.caller.run)
}
