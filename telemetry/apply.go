package telemetry

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/pending"
)

// apply applies one event at its time.
func (s *waiting) apply(ev *events.DisplayEvent, at clock.Moment, o pending.Origin) {
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
	s.announceTurn(a.run, ev.TurnID)
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
		late = s.useTokens(a, ev, at)
	}
	a.reportCall(s.self, ev, at)
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

// maxSearchedRuns bounds the search for a call, so that the cost of a line does not grow with the number of runs in the background.
const maxSearchedRuns = 64
