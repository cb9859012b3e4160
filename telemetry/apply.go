package telemetry

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/clock"
)

// apply applies one event at its time.
func (s *Stream) apply(ev *events.DisplayEvent, at clock.Moment, o origin) {
	if s.run == nil {
		// Only events that open a run arrive here without one, and they went through openRun.
		return
	}
	written := at
	at = s.fit(ev, at)
	s.passed(s.place(written))
	a := s.agentOf(ev, at)
	s.beginsAt(a.run, ev, at)
	s.countLate(a, ev)
	aside := s.run.isAside(a, ev)
	a.run.signs.Note(ev)
	s.failedCall(a, ev, at)
	s.announceTurn(a.run, ev)
	if ev.SessionID == "" {
		ev.SessionID = a.run.sessionID
	}
	if !aside {
		a.cover(&at, &at)
	}
	if !a.closed && !a.thread.Models.Add(ev.Model, s.registry.settings.Limits.Models) {
		s.count().UnlistedModels++
	}
	if a.call == nil && ev.MessageID != "" && ev.MessageID != a.run.lastMessage && !(a.closed && ev.Kind == events.KindPrompt) {
		a.run.lastMessage = strings.Clone(ev.MessageID)
	}
	var of *call           // the call that the record belongs to
	var late *events.Usage // usage that no span will have
	switch ev.Kind {
	case events.KindSessionStarted:
		a.run.shape.start = a.run.shape.start || ev.Session == nil || !ev.Session.Recorded
		s.begins(a, ev, at)
	case events.KindTurnStarted:
		a.run.shape.turns = true
		s.begins(a, ev, at)
	case events.KindPrompt:
		a.thread.LastInput = at
		s.begins(a, ev, at)
	case events.KindNotice:
		a.thread.Compacted = a.thread.Compacted || ev.Notice.Code == events.NoticeCompaction
	case events.KindText, events.KindReasoning, events.KindMessage:
		s.modelWorks(a, ev, at)
	case events.KindToolUse:
		s.modelWorks(a, ev, at)
		of = s.startCall(a, ev, at, o)
	case events.KindToolResult:
		of = s.resultOf(ev, at)
		a.thread.LastInput = at
	case events.KindToolProgress:
		of = s.progressOf(ev)
	case events.KindApprovalRequest:
		s.noteApproval(ev)
	case events.KindUsage:
		if ev.Usage != nil && ev.Usage.Scope == events.UsageScopeCall {
			s.modelWorks(a, ev, at) // it may precede the first block of its message or be its only event
		}
		late = s.useTokens(a, ev)
	}
	a.reportCall(s, ev, at)
	s.converse(a, ev)
	if s.endsLater(a, ev, at, o) {
		s.finishRun(a, ev)
		return
	}
	s.attachTotals(a, ev, at)
	if s.record(a, of, sighting{ev, at, o, 0}) {
		switch ev.Kind {
		case events.KindUsage:
			s.countUsage(a, ev, at, late)
		case events.KindNotice:
			s.countNotice(a, ev)
		}
	}
	switch ev.Kind {
	case events.KindToolUse:
		if early, ok := of.caller.run.calls.early.Take(of.ID); ok {
			s.finishCall(of, &early.Tool, early.At, early.Abridged)
		}
	case events.KindToolResult:
		s.finishCall(of, &ev.Tool, at, ev.Abridged)
	case events.KindToolProgress:
		s.finishBackground(of, ev)
	case events.KindTurnDone, events.KindTurnAborted, events.KindSessionEnded:
		s.finishRun(a, ev)
	}
}

// maxAgentDepth bounds the nesting of sub-agents. It also bounds the cost of an event, which extends the spans of all
// enclosing agents.
const maxAgentDepth = 64

// agentOf returns the agent of an event. The first sign of a sub-agent's work opens its span.
func (s *Stream) agentOf(ev *events.DisplayEvent, at clock.Moment) *agent {
	if ev.ParentID == "" {
		return s.run.top
	}
	switch c := s.findCall(ev.ParentID); {
	case c == nil && ev.AgentID != "" && !s.owns("agent", s.settings.Agent.Provider, s.run.sessionID, ev.AgentID):
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

// maxSearchedRuns bounds the search for a call, so that the cost of a line does not grow with the number of runs in the background.
const maxSearchedRuns = 64

// findCall searches for a call in the current run and in the latest runs that still have an active agent.
func (s *Stream) findCall(id string) *call {
	if c := s.run.calls.byID[id]; c != nil {
		return c
	}
	for i, searched := len(s.open.busy)-1, 0; i >= 0 && searched < maxSearchedRuns; i, searched = i-1, searched+1 {
		if c := s.open.busy[i].calls.byID[id]; c != nil {
			return c
		}
	}
	return nil
}
