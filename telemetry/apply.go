package telemetry

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/work"
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
	a.Run.BeginsAt(ev, at, s.registry.settings.EndGrace)
	s.countLate(a, ev)
	aside := s.run.IsAside(a, ev)
	a.Run.Signs.Note(ev)
	s.failedCall(a, ev, at)
	s.family.AnnounceTurn(a.Run, ev.TurnID)
	if ev.SessionID == "" {
		ev.SessionID = a.Run.SessionID
	}
	if !aside {
		a.Cover(&at, &at)
	}
	if !a.Closed && !a.Thread.Models.Add(ev.Model, s.registry.settings.Limits.Models) {
		s.count().UnlistedModels++
	}
	if a.Call == nil && ev.MessageID != "" && ev.MessageID != a.Run.LastMessage && !(a.Closed && ev.Kind == events.KindPrompt) {
		a.Run.LastMessage = strings.Clone(ev.MessageID)
	}
	var of *work.Call      // the call that the record belongs to
	var late *events.Usage // usage that no span will have
	switch ev.Kind {
	case events.KindSessionStarted:
		a.Run.Shape.Start = a.Run.Shape.Start || ev.Session == nil || !ev.Session.Recorded
		s.begins(a, ev, at)
	case events.KindTurnStarted:
		a.Run.Shape.Turns = true
		s.begins(a, ev, at)
	case events.KindPrompt:
		a.Thread.LastInput = at
		s.begins(a, ev, at)
	case events.KindNotice:
		a.Thread.Compacted = a.Thread.Compacted || ev.Notice.Code == events.NoticeCompaction
	case events.KindText, events.KindReasoning, events.KindMessage:
		s.modelWorks(a, ev, at)
	case events.KindToolUse:
		s.modelWorks(a, ev, at)
		of = s.startCall(a, ev, at, o)
	case events.KindToolResult:
		of = s.resultOf(ev, at)
		a.Thread.LastInput = at
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
	s.reportCall(a, ev, at)
	s.converse(a, ev)
	if s.endsLater(a, ev, at, o) {
		s.finishRun(a, ev)
		return
	}
	s.attachTotals(a, ev, at)
	if s.record(a, of, pending.Sighting{Event: ev, At: at, From: o}) {
		switch ev.Kind {
		case events.KindUsage:
			s.countUsage(a, ev, at, late)
		case events.KindNotice:
			s.countNotice(a, ev)
		}
	}
	switch ev.Kind {
	case events.KindToolUse:
		if early, ok := of.Caller.Run.Calls.TakeEarly(of.ID); ok {
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
