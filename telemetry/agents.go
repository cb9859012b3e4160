package telemetry

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/modelcall"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/toolcall"
	"github.com/tailspan/tailspan/session/work"
)

// agentWork opens and closes calls and sub-agents, and places their times.
type agentWork struct{ talk }

func (s *agentWork) openAgent(c *work.Call, id string, at clock.Moment) *work.Agent {
	if active := s.open.Active(); len(active) >= s.registry.settings.Limits.OpenCalls {
		s.emit.Count().EvictedAgents++
		s.closeAgent(active[0], outcome.Closed(otlp.CloseReasonEvicted))
	}
	r := c.Caller.Run
	id = cmp.Or(id, c.AgentID)
	// The provider's ID, if the format has one, gives the same span as the agent's separate file.
	domain, of, occurrence := otlp.DomainCallAgent, string(c.SpanID[:]), 0
	if id != "" {
		domain, of, occurrence = otlp.DomainAgent, id, s.seen.Nth(&s.seen.Agents, id)
	}
	a := &work.Agent{
		Run: r, ID: id, Name: cmp.Or(c.AgentType, c.Name),
		SpanID: otlp.NewSpanID(domain, occurrence, s.program.Agent.Provider, r.SessionID, "", of),
		// Anything that started before the agent had a time began with the call.
		Thread: modelcall.Thread{LastInput: c.Span.Start}, Ledger: ledger.Ledger{Prices: &s.registry.settings.Prices},
	}
	a.Call, a.Depth, a.Parent = c, c.Caller.Depth+1, c.SpanID
	a.Detached = c.Closed() || c.Caller.Closed
	if r.IsJoined() && (id == "" || r.Ref.Recorded && !s.program.Recorded) {
		a.Role = work.RoleDuplicate // it has its own, more complete transcript or is in the first account's
	} else if id != "" && r.Exports() {
		key := link.Key{Provider: s.program.Agent.Provider, Session: r.SessionID, Agent: id, Task: occurrence}
		switch a.Account = s.share.ClaimAgent(key, a.Span(), true); {
		case a.Account != nil:
		case s.share.FirstHasAgent(key, a.Span()): // also of a first account, if a second one was read further
			a.Role = work.RoleJoined
		default:
			a.Role = work.RoleDuplicate
		}
	}
	a.Time.Cover(&at)
	c.Child = a
	s.open.AddAgent(a)
	s.family.AnnounceAgent(c, id)
	s.family.WorksInline(a, false)
	return a
}

// closeAgent closes a sub-agent and its open items.
func (s *agentWork) closeAgent(a *work.Agent, v outcome.Verdict) {
	if a.Closed {
		return
	}
	for _, sub := range a.ActiveAgents() {
		if !sub.Background {
			s.closeAgent(sub, v)
		}
	}
	for _, c := range a.OpenCalls() {
		s.closeCall(c, outcome.WithoutResult(v.Inner()))
	}
	s.closeChat(a)
	a.Closed = true
	if up := a.Call.Caller; up != a.Run.Top && !up.Closed {
		up.Ledger.AddBelow(&a.Ledger)
	}
	if v.Reason == otlp.CloseReasonTimeout {
		a.Ledger.Incomplete, a.Run.Closing.Silent = true, true
	}
	s.parentToRun(a)
	s.writeAgent(a, v)
	s.open.RemoveAgent(a)
	s.family.WorksInline(a, true)
	if a.Account != nil {
		r := a.Run
		if r.OverAgents = append(r.OverAgents, a); r.Closed {
			s.family.Notify(s.share.EndAgents(r))
		}
	}
	s.allWritten(a.Run)
}

// parentToRun makes the run the parent of a sub-agent, with a mark, if no stream exports the call that started it.
// That call was made by an agent whose work another stream exports, but that stream does not have the call.
func (s *agentWork) parentToRun(a *work.Agent) {
	r := a.Run
	if a.Role == work.RoleDuplicate || !r.Exports() || a.Call.Exported() || s.registry.ids.HasSpan(otlp.SpanRef{Trace: r.TraceID, Span: a.Call.SpanID}) {
		return
	}
	a.Parent, a.UnknownParent = r.Top.SpanID, a.Call.ID
}

// agentOf returns the agent of an event. The first sign of a sub-agent's work opens its span.
func (s *agentWork) agentOf(ev *events.DisplayEvent, at clock.Moment) *work.Agent {
	if ev.ParentID == "" {
		return s.run.Top
	}
	switch c := s.findCall(ev.ParentID); {
	case c == nil && ev.AgentID != "" && !s.share.Owns("agent", s.program.Agent.Provider, s.run.SessionID, ev.AgentID):
		if top := s.run.Top; !top.Time.Start.Known() { // it may be all that this stream has of the run
			top.Time.Cover(&at)
		}
		return s.run.Elsewhere() // its call was not seen here, and another stream exports its work
	case c == nil:
		// The call that started it was never seen: its work becomes a child of the run and is marked.
		return s.run.Top
	case c.Child != nil:
		return c.Child // even if it is over: late events still belong to it
	case c.Caller.Depth >= maxAgentDepth:
		s.emit.Count().DeepAgents++
		return c.Caller
	default:
		return s.openAgent(c, ev.AgentID, at)
	}
}

// startCall opens a call. It supersedes an open call of the same ID, because the source declares a new one.
func (s *agentWork) startCall(a *work.Agent, ev *events.DisplayEvent, at clock.Moment, o pending.Origin) *work.Call {
	t := &ev.Tool
	r := a.Run
	anonymous := t.ID == ""
	if anonymous {
		// Only a result without an ID can refer to it, but it is still a call.
		t.ID = cmp.Or(ev.ItemID, "call@"+strconv.FormatInt(o.Offset, 10)) + "#" + strconv.Itoa(o.Index)
	}
	if old := r.Calls.Get(t.ID); old != nil && !old.Closed() {
		s.closeCall(old, outcome.WithoutResult(otlp.CloseReasonSuperseded))
	}
	if len(r.Calls.Open()) >= s.registry.settings.Limits.OpenCalls {
		s.emit.Count().EvictedCalls++
		s.closeCall(r.Calls.Open()[0], outcome.WithoutResult(otlp.CloseReasonEvicted))
	}
	c := &work.Call{Call: toolcall.New(t, s.registry.settings.Limits.TargetRunes), Caller: a, Anonymous: anonymous}
	what, detail := content.Said(ev)
	if s.registry.settings.Capture.ToolInput {
		s.holdArguments(c, t.Input)
	}
	if a.Call == nil && ev.ParentID != "" {
		c.MadeBelow(ev.ParentID)
	}
	t.Target = c.Target // the record cuts it in the same way
	c.Span.Cover(&at)
	occurrence := s.seen.Nth(&s.seen.Calls, r.IDScope, c.ID, what, detail)
	c.Occurrence = int32(occurrence)
	r.Calls.Add(c)
	if r.Closed {
		s.linger(r, 1)
	}
	c.SpanID, c.Content = otlp.CallIDs(occurrence, s.program.Agent.Provider, r.IDSession, r.IDScope, c.ID, what, detail)
	c.Elsewhere = s.share.IsElsewhere(r, ev, a.IsJoined() && s.registry.ids.HasSpan(otlp.SpanRef{Trace: r.TraceID, Span: c.SpanID}))
	a.CallMade()
	s.family.AnnounceAgent(c, t.AgentID)
	return c
}

// resultOf finds the call of a result, in the current run or, for background work, in an earlier one. A result that
// precedes its call is stored for it.
func (s *agentWork) resultOf(ev *events.DisplayEvent, at clock.Moment) *work.Call {
	if ev.Tool.ID == "" {
		ev.Tool.ID = s.run.Calls.Anonymous(ev.Tool.Name)
	}
	c := s.findCall(ev.Tool.ID)
	if c == nil {
		limits := &s.registry.settings.Limits
		s.emit.Count().UnknownCalls++
		if s.run.Calls.SetEarly(ev.Tool.ID, toolcall.NewEarlyResult(&ev.Tool, at, ev.Abridged), min(limits.OpenCalls, limits.RememberedIDs)) {
			s.emit.Count().ForgottenIDs++
		}
		return nil
	}
	c.Describe(&ev.Tool)
	if !c.Closed() {
		c.Measure(&ev.Tool, &at)
	}
	s.family.AnnounceAgent(c, ev.Tool.AgentID)
	return c
}

// progressOf finds the call of a progress event.
func (s *agentWork) progressOf(ev *events.DisplayEvent) *work.Call {
	c := s.findCall(ev.Tool.ID)
	if c != nil {
		if c.AgentType == "" {
			c.AgentType = strings.Clone(ev.Tool.AgentType) // of the agent that it called again
		}
		c.Describe(&ev.Tool)
		s.family.AnnounceAgent(c, ev.Tool.AgentID)
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

// findCall searches for a call in the current run and in others that may have it open.
func (s *agentWork) findCall(id string) *work.Call { return s.open.FindCall(s.run, id) }

// holdArguments keeps the arguments of a call for its span if the arguments of all open calls stay within the limit.
func (s *agentWork) holdArguments(c *work.Call, arguments []byte) {
	limits := &s.registry.settings.Limits
	if n := min(len(arguments), limits.ContentBytes); s.open.Held()+n > limits.PendingBytes {
		s.emit.Count().DroppedArguments++
		return
	}
	if held := otlp.CutLater(arguments, limits.ContentBytes); held != "" {
		c.Hold(held)
		s.open.Hold(len(held))
	}
}

// linger remembers a closed run for n open calls. All closed runs together may have as many open calls as one active
// run; the oldest are closed first.
func (s *agentWork) linger(r *work.Run, n int) {
	s.open.Linger(r, n)
	for c := s.open.Excess(s.registry.settings.Limits.OpenCalls); c != nil; c = s.open.Excess(s.registry.settings.Limits.OpenCalls) {
		s.emit.Count().EvictedCalls++
		s.closeCall(c, outcome.WithoutResult(otlp.CloseReasonEvicted))
	}
}

// closeLingering closes the open calls of closed runs and sub-agents.
func (s *agentWork) closeLingering(reason otlp.CloseReason) {
	for _, a := range s.open.LateSpeakers() {
		s.closeChat(a)
	}
	for _, c := range s.open.LingeringCalls() {
		s.closeCall(c, outcome.WithoutResult(reason))
	}
}

// finishCall closes the call that a result answers. A second result changes nothing.
func (s *agentWork) finishCall(c *work.Call, t *events.Tool, at clock.Moment, abridged bool) {
	switch {
	case c == nil:
		return
	case c.Closed():
		s.emit.Count().LateResults++
		return
	}
	out := outcome.OfResult(t, abridged)
	c.Span.End = at
	if !out.Background { // otherwise the duration may be that of the work, which continues
		if waited := c.Span.Lasts(t.Duration); c.Asks {
			out.ApprovalWait = waited
		}
	}
	if c.Child != nil {
		if out.Background {
			c.Child.Background = true
		} else {
			s.closeAgent(c.Child, outcome.OfAgent(t))
			c.Span.CoverAll(&c.Child.Time)
		}
	}
	if s.registry.settings.Capture.ToolOutput {
		out.Result = string(t.Output)
	}
	s.closeCall(c, out)
}

// finishBackground closes a background sub-agent when a notice reports the end of its work. Copied history does not count: it may differ
// from the original.
func (s *agentWork) finishBackground(c *work.Call, ev *events.DisplayEvent) {
	if c == nil || !c.Closed() {
		return // a foreground call: its result follows
	}
	v, over := outcome.OfNotice(&ev.Tool)
	if !over {
		return
	}
	s.family.AnnounceNotice(c, link.End{Verdict: v, Took: ev.Tool.Duration})
	if c.Child != nil && (c.Child.Background || c.Child.Detached) {
		if c.Task == 0 && !c.Child.Closed { // the duration reported later is since the start of the first task
			c.Child.CoverDuration(ev.Tool.Duration)
		}
		s.closeAgent(c.Child, v)
	}
}

// closeCall closes a call and everything open below it.
func (s *agentWork) closeCall(c *work.Call, out outcome.Call) {
	if c.Closed() {
		return
	}
	c.Elsewhere = c.Elsewhere || s.family.IsStarter(c)
	if c.Caller.Run.Calls.Close(c, s.registry.settings.Limits.RememberedIDs) {
		s.emit.Count().ForgottenIDs++
	}
	s.open.CallClosed(c.Caller.Run)
	if c.Requested && out.ErrorType == otlp.ErrorTypeNoResult {
		out.ErrorType = ""
	}
	if out.ErrorType != "" {
		c.Caller.CallFailed()
	}
	if out.Reason != otlp.CloseReasonResult && !out.HasResult {
		if !c.Requested {
			s.emit.Count().UnclosedCalls++
		}
		if c.Child != nil && !c.Child.Background {
			s.closeAgent(c.Child, outcome.Closed(out.Reason))
		}
		// It lasted as long as its agent was active.
		c.Span.Cover(&c.Caller.Time.End)
	}
	clamped := c.Span.Clamp()
	switch {
	case !c.Caller.Closed:
		c.Caller.Cover(&c.Span.Start, &c.Span.End)
	case c.Span.Start.At.After(c.Caller.Time.End.At):
		c.MoveOutside() // it was made after its agent's span was closed
	default:
		clamped = c.Span.ClampInto(c.Caller.Time) || clamped // the parent's span was exported already
	}
	c.Caller.Inside.CoverAll(&c.Span)
	s.family.AnnounceEnd(c, out)
	s.emit.Call(c, out, clamped)
	s.open.DropArguments(c) // a closed call is remembered for long
	s.allWritten(c.Caller.Run)
}

// beginCourse begins the course of time of a run. A pipeline contains its runs, so theirs is that of the run before in
// its session. Elsewhere the clock may have been set back between two runs, and the next one has its own times.
func (s *agentWork) beginCourse(r *work.Run, at clock.Moment) {
	if before := s.run; before != nil && r.InPipeline && r.SessionID != "" && before.SessionID == r.SessionID {
		r.Course = before.Course
		return
	}
	s.clock.NewRun()
	if at.FromLine() { // the line before may be from before the change
		r.Course.Begin(at.At)
	}
}

// restamp sets the time of everything that has a guessed time and was not exported. Exported records and spans keep
// their times, and the enclosing spans still cover them.
func (s *agentWork) restamp(m clock.Moment) {
	s.past.lastEnd.Restamp(m) // otherwise the end would limit the start of a measured run
	if s.run == nil || s.run.Closed {
		return
	}
	s.open.Restamp(s.run, m)
}

// maxAgentDepth bounds the nesting of sub-agents. It also bounds the cost of an event, which extends the spans of all
// enclosing agents.
const maxAgentDepth = 64

// allWritten wakes the streams that wait for the account of a run, once nothing of the run is open.
func (s *agentWork) allWritten(r *work.Run) {
	s.family.Notify(s.share.Written(r, s.open.IsBusy(r)))
}
