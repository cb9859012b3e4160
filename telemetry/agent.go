package telemetry

import (
	"cmp"
	"slices"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/modelcall"
	"github.com/tailspan/tailspan/session/outcome"
)

// agent is an open invoke_agent span: the run's own agent, or a sub-agent below the call that started it.
type agent struct {
	run *run
	parentage
	toolCounts
	spanID     otlp.SpanID
	name       string
	id         string // the provider's ID of a sub-agent
	span       clock.Interval
	inside     clock.Interval // time of everything exported below it
	thread     modelcall.Thread
	chat       *chat
	open       atWork // the open items that it started
	ledger     ledger.Ledger
	background bool             // the format reports that its work continues after the call
	detached   bool             // its call, or that call's agent, was over at its first sign
	account    *account.Account // of a sub-agent whose first account is in this stream
	role       agentRole
	closed     bool
}

// parentage is the position of an agent's span.
type parentage struct {
	call   *call // nil for the run's own agent
	depth  int   // number of sub-agents between it and the run
	parent otlp.SpanID
	// unknownParent is the call that started it if no stream exports that call.
	unknownParent string
}

// agentRole is what a stream exports of a sub-agent.
type agentRole uint8

const (
	roleOwn       agentRole = iota
	roleJoined              // another stream exports its span, and this stream its additional content
	roleDuplicate           // another stream exports it
)

// agentWork opens and closes calls and sub-agents, and places their times.
type agentWork struct{ talk }

// callMade counts a call of the agent and of the run.
func (a *agent) callMade() {
	if !a.closed { // otherwise its span, which may be waiting, has the count of that time
		a.toolCalls++
	}
	if !a.run.closed {
		a.run.toolCalls++
	}
}

// callFailed counts a failed call of the agent and of the run.
func (a *agent) callFailed() {
	if !a.closed {
		a.toolErrors++
	}
	if !a.run.closed {
		a.run.toolErrors++
	}
}

// exports reports whether this stream, and no other account, exports the agent's work.
func (a *agent) exports() bool { return a.run.exports() && a.role != roleDuplicate }

// isJoined reports whether another stream has the first account of the run, or of the sub-agent.
func (a *agent) isJoined() bool { return a.run.isJoined() || a.role == roleJoined }

// ref returns the agent's span.
func (a *agent) ref() otlp.SpanRef { return otlp.SpanRef{Trace: a.run.traceID, Span: a.spanID} }

// cover extends the agent's span to start and end, and the enclosing spans with it, so that children lie inside their
// parents. Closed spans were exported and do not change; nor does the call of a sub-agent in the background.
func (a *agent) cover(start, end *clock.Moment) {
	for at := a; !at.closed; {
		at.span.Cover(start)
		at.span.Cover(end)
		if at.call == nil || at.background || at.detached || at.call.closed {
			return
		}
		at.call.Span.Cover(start)
		at.call.Span.Cover(end)
		at = at.call.caller
	}
}

// coverDuration extends the agent's span to the reported duration of its background work.
func (a *agent) coverDuration(reported time.Duration) {
	if end := a.span.Start.At.Add(reported); reported > 0 && events.PlausibleDuration(reported) && end.After(a.span.End.At) {
		a.span.End = clock.Moment{At: end, Source: clock.DurationFrom(a.span.Start)}
	}
}

// outlivesCall reports whether the agent's work is, or may be, outside of its call: a call whose agent is over is cut
// to the agent's time.
func (a *agent) outlivesCall() bool {
	switch {
	case a.call == nil:
		return false
	case a.detached && a.call.caller.closed:
		return true
	default:
		return a.call.closed && !a.call.Span.Contains(a.span)
	}
}

// inBackground reports whether the agent continues after its run: it, or an agent that it works for, was moved to the
// background.
func (a *agent) inBackground() bool {
	for at := a; at.call != nil; at = at.call.caller {
		if at.background || at.detached {
			return true
		}
	}
	return false
}

func (s *agentWork) openAgent(c *call, id string, at clock.Moment) *agent {
	if len(s.open.agents) >= s.registry.settings.Limits.OpenCalls {
		s.count().EvictedAgents++
		s.closeAgent(s.open.agents[0], outcome.Closed(otlp.CloseReasonEvicted))
	}
	r := c.caller.run
	id = cmp.Or(id, c.AgentID)
	// The provider's ID, if the format has one, gives the same span as the agent's separate file.
	domain, of, occurrence := otlp.DomainCallAgent, string(c.SpanID[:]), 0
	if id != "" {
		domain, of, occurrence = otlp.DomainAgent, id, s.seen.Nth(&s.seen.Agents, id)
	}
	a := &agent{
		run: r, parentage: parentage{call: c, depth: c.caller.depth + 1, parent: c.SpanID}, id: id, name: cmp.Or(c.AgentType, c.Name),
		spanID: otlp.NewSpanID(domain, occurrence, s.settings.Agent.Provider, r.sessionID, "", of),
		// Anything that started before the agent had a time began with the call.
		thread: modelcall.Thread{LastInput: c.Span.Start}, ledger: ledger.Ledger{Prices: &s.registry.settings.Prices},
	}
	a.detached = c.closed || c.caller.closed
	if r.isJoined() && (id == "" || r.ref.Recorded && !s.recorded) {
		a.role = roleDuplicate // it has its own, more complete transcript or is in the first account's
	} else if id != "" && r.exports() {
		key := link.Key{Provider: s.settings.Agent.Provider, Session: r.sessionID, Agent: id, Task: occurrence}
		switch a.account = s.accountOfAgent(key, a.ref(), true); {
		case a.account != nil:
		case s.firstHasAgent(key, a.ref()): // also of a first account, if a second one was read further
			a.role = roleJoined
		default:
			a.role = roleDuplicate
		}
	}
	a.span.Cover(&at)
	c.child = a
	s.open.agentOpened(a)
	s.announceAgent(c, id)
	s.worksInline(a, false)
	return a
}

// closeAgent closes a sub-agent and its open items.
func (s *agentWork) closeAgent(a *agent, v outcome.Verdict) {
	if a.closed {
		return
	}
	for _, sub := range slices.Clone(a.open.agents) {
		if !sub.background {
			s.closeAgent(sub, v)
		}
	}
	for _, c := range slices.Clone(a.open.calls) {
		s.closeCall(c, outcome.WithoutResult(v.Inner()))
	}
	s.closeChat(a)
	a.closed = true
	if up := a.call.caller; up != a.run.top && !up.closed {
		up.ledger.AddBelow(&a.ledger)
	}
	if v.Reason == otlp.CloseReasonTimeout {
		a.ledger.Incomplete, a.run.closing.silent = true, true
	}
	s.hangUnderRun(a)
	s.writeAgent(a, v)
	s.open.agentClosed(a)
	s.worksInline(a, true)
	if a.account != nil {
		r := a.run
		if r.overAgents = append(r.overAgents, a); r.closed {
			s.endAgentAccounts(r)
		}
	}
	s.allWritten(a.run)
}

// hangUnderRun makes the run the parent of a sub-agent, with a mark, if no stream exports the call that started it.
// That call was made by an agent whose work another stream exports, but that stream does not have the call.
func (s *agentWork) hangUnderRun(a *agent) {
	r := a.run
	if a.role == roleDuplicate || !r.exports() || a.call.exported() || s.registry.ids.HasSpan(otlp.SpanRef{Trace: r.traceID, Span: a.call.SpanID}) {
		return
	}
	a.parent, a.unknownParent = r.top.spanID, a.call.ID
}

// innermostFirst lists the active sub-agents, children before their parents, so that spans close from the leaves up.
func (o *openWork) innermostFirst() []*agent {
	list := slices.Clone(o.agents)
	slices.SortStableFunc(list, func(x, y *agent) int { return cmp.Compare(y.depth, x.depth) })
	return list
}

// agentOf returns the agent of an event. The first sign of a sub-agent's work opens its span.
func (s *agentWork) agentOf(ev *events.DisplayEvent, at clock.Moment) *agent {
	if ev.ParentID == "" {
		return s.run.top
	}
	switch c := s.findCall(ev.ParentID); {
	case c == nil && ev.AgentID != "" && !s.owns("agent", s.settings.Agent.Provider, s.run.sessionID, ev.AgentID):
		if top := s.run.top; !top.span.Start.Known() { // it may be all that this stream has of the run
			top.span.Cover(&at)
		}
		return s.run.elsewhere() // its call was not seen here, and another stream exports its work
	case c == nil:
		// The call that started it was never seen: its work becomes a child of the run and is marked.
		return s.run.top
	case c.child != nil:
		return c.child // even if it is over: late events still belong to it
	case c.caller.depth >= maxAgentDepth:
		s.count().DeepAgents++
		return c.caller
	default:
		return s.openAgent(c, ev.AgentID, at)
	}
}

// wordingOf returns the wording of the agent's model call if ev is part of that, else a new one.
func (a *agent) wordingOf(ev *events.DisplayEvent) *wording {
	if !a.chat.is(ev) {
		return &wording{}
	}
	if a.chat.wording == nil {
		a.chat.wording = &wording{}
	}
	return a.chat.wording
}
