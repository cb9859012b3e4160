package telemetry

import (
	"cmp"
	"slices"
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/events"
)

// openRun begins the run that waiting starts with. The one before is closed: its result never came.
func (s *Stream) openRun(key string, waiting []held) {
	if s.run != nil && !s.run.closed {
		reason := CloseReasonResult // a transcript: the next prompt is the end of the turn before
		if s.run.hasStart || len(s.run.calls.open) > 0 {
			reason = CloseReasonSuperseded
		}
		s.closeRun(s.run, reason)
	}
	r := &run{key: key, resource: s.resource, calls: newCalls(s.registry.settings.Limits.RememberedIDs)}
	for i := range waiting {
		if r.sessionID == "" {
			r.sessionID = waiting[i].event.SessionID
		}
		if start := waiting[i].event.Session; start != nil && start.AgentName != "" {
			s.agentName = start.AgentName
		}
		if start := waiting[i].event.Session; start != nil && start.Version != "" && start.Version != r.resource.version {
			r.resource = &resource{identity: s.resource.identity, agent: s.resource.agent, version: start.Version}
			s.resource = r.resource
		}
	}
	if !s.keyIsMessage(waiting, key) {
		r.idScope = key
	}
	top := &agent{run: r, name: r.resource.agentName()}
	occurrence := s.seenRuns.next(key)
	top.spanID = spanID(domainRun, occurrence, s.settings.Agent.Provider, r.sessionID, key)
	r.top = top
	if s.kinKey == (agentKey{}) { // else the run is its parent's, and adopt sees to it
		r.copied = isCopy(waiting) || r.idScope == "" && !s.owns("run", s.settings.Agent.Provider, key)
	}
	if !s.settings.Parent.Empty() {
		r.traceID, top.parent = s.settings.Parent.TraceID, s.settings.Parent.SpanID
	} else if trace, parent, ok := s.registry.runStarted(r.resource, !r.copied && s.kinKey == (agentKey{})); ok {
		r.traceID, top.parent, r.inPipeline = trace, parent, !r.copied && s.kinKey == (agentKey{})
	} else if s.registry.settings.TraceBySession && r.sessionID != "" {
		r.traceID = traceID(0, s.settings.Agent.Provider, r.sessionID)
	} else {
		r.traceID = traceID(occurrence, s.settings.Agent.Provider, r.sessionID, key)
	}
	r.started, r.expected = s.registry.settings.Now(), s.settings.ExpectedDuration
	r.ref = s.registry.runRef(&runRef{key: key, sessionID: r.sessionID, traceID: r.traceID, topSpanID: top.spanID})
	s.run = r
	if s.live && !r.copied {
		s.stepStarted(r, waiting)
	}
}

// keyIsMessage reports whether the run's key is the id of a model message.
func (s *Stream) keyIsMessage(waiting []held, key string) bool {
	for i := range waiting {
		if modelSaid(&waiting[i].event) {
			return waiting[i].event.MessageID == key
		}
	}
	return false
}

// isCopy reports whether the run that waiting begins with is history of another session, as the format marks it.
func isCopy(waiting []held) bool {
	for i := range waiting {
		if modelSaid(&waiting[i].event) {
			return waiting[i].event.Copied
		}
	}
	return false
}

// adopt makes the run that was just opened the work of a sub-agent in its parent's run.
func (s *Stream) adopt(key agentKey, ref *runRef) {
	r := s.run
	r.kin, r.ref, r.traceID, r.subAgent = key, ref, ref.traceID, true
	r.copied = !s.owns("agent", key.provider, key.session, key.agent)
	r.top.parent = pcommon.SpanID{}
	r.top.id = key.agent
	r.top.name = s.agentName
	r.top.spanID = spanID(domainAgent, s.seenAgents.next(key.agent), key.provider, key.session, "", key.agent)
	s.registry.childOpened(s)
}

// apply folds one event at its time.
func (s *Stream) apply(ev *events.DisplayEvent, at moment, o origin) {
	if s.run == nil {
		// Only events that open a run get here without one, and those went through openRun.
		return
	}
	a := s.agentOf(ev, at)
	s.announceTurn(a.run, ev)
	if ev.SessionID == "" {
		ev.SessionID = a.run.sessionID
	}
	a.cover(interval{at, at})
	a.sawModel(ev.Model)
	if a.call == nil && ev.MessageID != "" {
		a.run.lastMessage = ev.MessageID
	}
	var of *call // the call that the record tells of
	switch ev.Kind {
	case events.KindSessionStarted:
		a.run.hasStart = a.run.hasStart || ev.Session == nil || !ev.Session.Recorded
	case events.KindTurnStarted:
		a.run.hasTurns = true
	case events.KindPrompt:
		a.lastInput = at
	case events.KindText, events.KindReasoning, events.KindMessage:
		s.modelWorks(a, ev, at)
	case events.KindToolUse:
		s.modelWorks(a, ev, at)
		of = s.startCall(a, ev, at, o)
	case events.KindToolResult:
		of = s.resultOf(ev)
		a.lastInput = at
	case events.KindToolProgress:
		of = s.progressOf(ev)
	case events.KindUsage:
		s.useTokens(a, ev)
	}
	if s.record(a, ev, at, o, of) && ev.Kind == events.KindUsage {
		s.countCall(a, ev)
	}
	switch ev.Kind {
	case events.KindToolResult:
		s.finishCall(of, ev, at)
	case events.KindToolProgress:
		s.finishBackground(of, ev)
	case events.KindTurnDone, events.KindTurnAborted, events.KindSessionEnded:
		s.finishRun(a, ev)
	}
}

// agentOf is the agent that did what ev tells. The first sign of a sub-agent's work opens its span.
func (s *Stream) agentOf(ev *events.DisplayEvent, at moment) *agent {
	if ev.ParentID == "" {
		return s.run.top
	}
	switch c := s.findCall(ev.ParentID); {
	case c == nil:
		// Nobody saw the call that started it: what it does hangs under the run, and is marked.
		return s.run.top
	case c.child != nil:
		return c.child // also if it is over: its late words still belong to it
	default:
		return s.openAgent(c, ev.AgentID, at)
	}
}

// findCall looks for a call in the run at work, and in those that still have an agent in the background.
func (s *Stream) findCall(id string) *call {
	if c := s.run.calls.byID[id]; c != nil {
		return c
	}
	for _, a := range s.agents {
		if c := a.run.calls.byID[id]; c != nil {
			return c
		}
	}
	return nil
}

func (s *Stream) openAgent(c *call, id string, at moment) *agent {
	r := c.caller.run
	id = cmp.Or(id, c.agentID)
	// The provider's own id where told, so that the agent's own file gives the same span.
	domain, of, scope, occurrence := domainCallAgent, c.id, r.idScope, c.occurrence
	if id != "" {
		domain, of, scope, occurrence = domainAgent, id, "", s.seenAgents.next(id)
	}
	a := &agent{
		run: r, call: c, id: id, parent: c.spanID, name: cmp.Or(c.agentType, c.name),
		spanID: spanID(domain, occurrence, s.settings.Agent.Provider, r.sessionID, scope, of),
		// What started before it had its own time began with the call.
		lastInput: c.span.start,
	}
	a.detached = c.closed || c.caller.closed
	if id != "" {
		a.muted = !s.owns("agent", s.settings.Agent.Provider, r.sessionID, id)
	}
	a.span.cover(at)
	c.child = a
	s.agents = append(s.agents, a)
	s.announceAgent(c, id)
	return a
}

// announceTurn tells the family which run a turn belongs to.
func (s *Stream) announceTurn(r *run, ev *events.DisplayEvent) {
	if ev.TurnID == "" || ev.TurnID == r.turn || r.subAgent {
		return // a sub-agent works in a turn that is its parent's to announce
	}
	r.turn = ev.TurnID
	s.tell(s.registry.announceTurn(turnKey{s.settings.Agent.Provider, r.sessionID, ev.TurnID}, r.ref))
}

// announceAgent tells the family which call started an agent.
func (s *Stream) announceAgent(c *call, id string) {
	if id == "" || c.agentID != "" || id == s.kinKey.agent {
		return // an agent did not start itself
	}
	c.agentID = id
	if c.child == nil { // else its work stands here
		s.announced = append(s.announced, s.keyOf(c))
		if drop := len(s.announced) - maxState; drop > 0 {
			s.announced = slices.Delete(s.announced, 0, drop)
		}
	}
	s.tell(s.registry.announceAgent(s.keyOf(c), c.caller.run.ref, &callRef{spanID: c.spanID, agentType: c.agentType, toolName: c.name}))
	if c.closed {
		s.tell(s.registry.endAgent(s.keyOf(c), CloseReasonResult, false))
	}
}

func (s *Stream) keyOf(c *call) agentKey {
	return agentKey{s.settings.Agent.Provider, c.caller.run.sessionID, c.agentID}
}

// tell keeps the streams that are to hear of what was announced, until the line is done.
func (s *Stream) tell(children []*Stream) { s.newsFor = append(s.newsFor, children...) }

// modelWorks notes a part of a model message: it belongs to the agent's model call, or begins the next one.
func (s *Stream) modelWorks(a *agent, ev *events.DisplayEvent, at moment) {
	if a.call == nil {
		a.run.hasMessage = true
	}
	if ev.MessageID == "" || ev.Synthetic || a.closed {
		return
	}
	if a.chat != nil && a.chat.messageID == ev.MessageID {
		a.chat.span.cover(at)
		return
	}
	if s.seenMessages.next(ev.MessageID) > 0 {
		return // a late part of a message whose span is out
	}
	s.closeChat(a)
	a.chat = &chat{
		messageID: ev.MessageID, model: ev.Model, system: cmp.Or(ev.ModelProvider, s.settings.Agent.System),
		spanID: spanID(domainChat, 0, s.settings.Agent.Provider, a.run.sessionID, ev.MessageID),
	}
	a.chat.span.cover(at)
	if a.lastInput.known() && a.lastInput.at.Before(at.at) {
		a.chat.span.cover(a.lastInput)
	}
}

// startCall opens a call. One of the same id that is still open is superseded: the source says that this is another.
func (s *Stream) startCall(a *agent, ev *events.DisplayEvent, at moment, o origin) *call {
	t := &ev.Tool
	r := a.run
	if t.ID == "" {
		// Nothing can answer it, but it is a call all the same.
		t.ID = cmp.Or(ev.ItemID, s.settings.ID+"@"+strconv.FormatInt(o.offset, 10)) + "#" + strconv.Itoa(o.index)
	}
	if old := r.calls.byID[t.ID]; old != nil && !old.closed {
		s.closeCall(old, outcome{reason: CloseReasonSuperseded})
	}
	if len(r.calls.open) >= s.registry.settings.Limits.OpenCalls {
		s.counts.EvictedCalls++
		s.closeCall(r.calls.open[0], outcome{reason: CloseReasonEvicted, errorType: ErrorTypeNoResult})
	}
	c := &call{
		id: t.ID, caller: a, name: toolName(t.Name), server: t.Server, agentType: t.AgentType,
		target: cutTarget(t.Target, s.writer.limits.TargetRunes), executable: executableOf(t.Name, t.Target),
	}
	if s.writer.capture.ToolInput {
		c.arguments, _ = cutBytes(string(t.Input), s.writer.limits.ContentBytes)
	}
	if a.call == nil {
		c.unknownParent = ev.ParentID
	}
	c.span.cover(at)
	c.occurrence = s.seenCalls.next(c.id)
	r.calls.add(c)
	if r.closed {
		s.linger(r)
	}
	c.spanID = spanID(domainTool, c.occurrence, s.settings.Agent.Provider, r.sessionID, r.idScope, c.id)
	a.toolCalls++
	return c
}

// resultOf finds the call that a result answers, in the run or, for work in the background, in the one before.
func (s *Stream) resultOf(ev *events.DisplayEvent) *call {
	c := s.findCall(ev.Tool.ID)
	if c == nil {
		s.counts.UnknownCalls++
		return nil
	}
	c.describe(&ev.Tool)
	s.announceAgent(c, ev.Tool.AgentID)
	return c
}

// progressOf finds the call that a word of progress is about.
func (s *Stream) progressOf(ev *events.DisplayEvent) *call {
	c := s.findCall(ev.Tool.ID)
	if c != nil {
		c.describe(&ev.Tool)
		s.announceAgent(c, ev.Tool.AgentID)
	}
	return c
}

// useTokens adds what a Usage event tells to the model call, the agent and the run.
func (s *Stream) useTokens(a *agent, ev *events.DisplayEvent) {
	u := ev.Usage
	if u == nil {
		return
	}
	switch u.Scope {
	case events.UsageScopeCall:
		a.usage.Add(u.Tokens)
		a.run.told(ev.Model).Add(u.Tokens)
		a.run.callCost += u.CostUSD
		if a.chat != nil && a.chat.messageID == ev.MessageID {
			a.chat.usage.Add(u.Tokens)
			a.chat.hasUsage = true
		}
		a.run.usage.Add(ev.Model, u)
	case events.UsageScopeProcess, events.UsageScopeSession:
		// A running total: this run's part is what was added since it was told before.
		part := s.sinceLast(ev)
		a.run.total(ev.Model, &part)
		a.run.usage.Add(ev.Model, &part)
	default:
		a.run.total(ev.Model, u)
		a.run.usage.Add(ev.Model, u)
	}
}

// sinceLast is what a running total adds to the one before. One of a process is told in one stream; one of a session may
// have been told in the stream of a run before. A total that shrank began anew.
func (s *Stream) sinceLast(ev *events.DisplayEvent) events.Usage {
	u := ev.Usage
	part := *u
	part.Scope = events.UsageScopeRun
	var before events.Usage
	if u.Scope == events.UsageScopeSession {
		before = s.registry.sessionTotal(s.settings.Agent.Provider+"\x00"+ev.SessionID+"\x00"+ev.Model, *u)
	} else {
		if s.processUsage == nil {
			s.processUsage = map[string]events.Usage{}
		}
		before = s.processUsage[ev.Model]
		s.processUsage[ev.Model] = *u
	}
	if before.Tokens.Input > u.Tokens.Input {
		return part
	}
	part.Tokens, part.Provider, part.CostUSD = u.Tokens.Sub(before.Tokens), u.Provider.Sub(before.Provider), u.CostUSD-before.CostUSD
	return part
}

// countCall adds what a model call told to the metrics.
func (s *Stream) countCall(a *agent, ev *events.DisplayEvent) {
	if u := ev.Usage; u != nil && u.Scope == events.UsageScopeCall {
		s.registry.metrics.tokens(a.run.resource, ev.Model, u.Tokens, u.CostUSD)
	}
}

// record writes the event's log record and reports whether it went out.
func (s *Stream) record(a *agent, ev *events.DisplayEvent, at moment, o origin, of *call) bool {
	r := a.run
	r.sequence++
	if r.copied || a.muted {
		return false
	}
	uid := s.uid(r, ev, o, of)
	if !s.registry.firstRecord(uid) || s.silent {
		return false
	}
	lr := s.sink.record(r.resource)
	s.writer.write(lr, ev)
	s.stamp(lr, at)
	lr.SetTraceID(r.traceID)
	lr.SetSpanID(a.spanID)
	if of != nil {
		lr.SetSpanID(of.spanID)
	} else if a.chat != nil && a.chat.messageID == ev.MessageID && ev.MessageID != "" {
		lr.SetSpanID(a.chat.spanID)
	}
	m := lr.Attributes()
	putStr(m, AttrGenAIAgentName, a.name)
	putStr(m, AttrProvider, s.settings.Agent.Provider)
	m.PutInt(AttrSequence, r.sequence)
	m.PutStr(AttrLogRecordUID, uid)
	if ev.ParentID != "" && a.call == nil {
		m.PutStr(AttrParentUnknown, ev.ParentID)
	}
	return true
}

// uid is the identity of a record: the line's own id where the format gives one, so that two sources of a session agree;
// else the call; else the place in the stream.
func (s *Stream) uid(r *run, ev *events.DisplayEvent, o origin, of *call) string {
	kind, provider := ev.Kind.String(), s.settings.Agent.Provider
	switch {
	case ev.ItemID != "":
		return recordUID(o.nth, provider, r.sessionID, kind, ev.ItemID)
	case of != nil && ev.Kind != events.KindToolProgress:
		return recordUID(of.occurrence, provider, r.sessionID, r.idScope, kind, of.id)
	default:
		return recordUID(o.index, provider, r.sessionID, kind, s.settings.ID, strconv.FormatInt(o.offset, 10))
	}
}

// stamp sets the times of a record: when it happened, and when we saw it.
func (s *Stream) stamp(lr plog.LogRecord, at moment) {
	lr.SetTimestamp(pcommon.NewTimestampFromTime(at.at))
	lr.SetObservedTimestamp(pcommon.NewTimestampFromTime(s.registry.settings.Now()))
	lr.Attributes().PutStr(AttrTimeSource, string(at.source))
}

// innermostFirst lists the sub-agents at work, children before their parents, so that spans close from the leaves up.
func (s *Stream) innermostFirst() []*agent {
	list := slices.Clone(s.agents)
	slices.SortStableFunc(list, func(x, y *agent) int { return cmp.Compare(y.depth(), x.depth()) })
	return list
}

// depth is how many sub-agents lie between a and the run.
func (a *agent) depth() int {
	n := 0
	for at := a; at.call != nil; at = at.call.caller {
		n++
	}
	return n
}
