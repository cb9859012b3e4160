package telemetry

import (
	"cmp"
	"strconv"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/messages"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/emit"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/modelcall"
	"github.com/tailspan/tailspan/session/team"
	"github.com/tailspan/tailspan/session/work"
)

// talk follows what the model says, and counts its tokens.
type talk struct{ writing }

// modelWorks handles part of a model message: it belongs to the agent's open model call or begins the next one.
func (s *talk) modelWorks(a *work.Agent, ev *events.DisplayEvent, at clock.Moment) {
	if a.Call == nil {
		a.Run.Shape.Message = true
	}
	if ev.MessageID == "" || ev.Synthetic || a.Closed && a.Call == nil && !a.Run.SubAgent {
		return
	}
	if a.Chat.Is(ev) {
		s.nameChat(a, ev)
		if s.afterCalls(a, ev) {
			a.Chat.Add(ev, nil)
		} else {
			a.Chat.Add(ev, &at)
		}
		return
	}
	r := a.Run
	answer := strconv.Itoa(ev.Answer)
	if s.seen.Nth(&s.seen.Messages, string(a.SpanID[:]), r.Key, ev.MessageID, answer) > 0 {
		return // a late part of a message whose span was written
	}
	s.closeChat(a)
	a.Chat = &work.Chat{Call: a.Thread.Begin(ev, s.program.Agent.System, at)}
	if a.Closed {
		s.open.SpeaksLate(a, false)
	}
	s.nameChat(a, ev)
}

// afterCalls reports whether ev is usage of the agent's model call that was reported only after the calls which the
// model requested.
func (s *talk) afterCalls(a *work.Agent, ev *events.DisplayEvent) bool {
	return ev.Kind == events.KindUsage && s.program.Agent.UsageAfterCalls && a.Chat.Span.End.At.Before(a.Thread.LastInput.At)
}

// nameChat sets the model call's ID once its first content is known. With a nil event, it sets the ID of a call without content.
func (s *talk) nameChat(a *work.Agent, ev *events.DisplayEvent) {
	c, r, kind, what, detail := a.Chat, a.Run, "", "", ""
	switch {
	case !c.ID.IsEmpty():
		return
	case s.program.Agent.OwnMessageIDs || a != r.Top || r.SubAgent: // a stream may have only the calls of a sub-agent
	case ev != nil && !content.Speaks(ev.Kind):
		return // it begins with its usage
	case ev != nil:
		kind = ev.Kind.String()
		what, detail = content.Said(ev)
	}
	occurrence := s.seen.Nth(&s.seen.Chats, r.Key, c.MessageID, kind, what, detail)
	c.ID = r.ChatID(s.program.Agent.Provider, occurrence, c.MessageID, kind, what, detail)
	c.Elsewhere = a.IsJoined() && (s.registry.ids.HasSpan(otlp.SpanRef{Trace: r.TraceID, Span: c.ID}) || s.twinHas(r, ev))
}

// twinHas reports whether the first account of a twin has the model call that begins with ev, or one without a sign if ev is nil.
func (s *talk) twinHas(r *work.Run, ev *events.DisplayEvent) bool {
	return r.Standing == account.Twin && !r.Account.Run().Unused() && (ev == nil || s.share.HasSign(r, ev))
}

// closeChat closes the agent's open model call. The first call of a run with unknown start is written at the end of the
// run, because only the run's duration shows when both began. If all times are the file's, it is written at once,
// because no durations are known.
func (s *talk) closeChat(a *work.Agent) {
	c := a.Chat
	if c == nil {
		return
	}
	s.nameChat(a, nil)
	s.settleWording(a)
	a.Chat = nil
	if a.Closed {
		s.open.SpeaksLate(a, true)
	}
	if c.LacksOutput() {
		a.Ledger.UnknownOutputs++
		if a != a.Run.Top {
			a.Run.Top.Ledger.UnknownOutputs++
		}
		if !s.program.Recorded && !a.Run.IsChild() {
			a.LacksCall(c)
		}
	}
	a.Cover(&c.Span.Start, &c.Span.End)
	s.finishChat(a, c)
	if a == a.Run.Top {
		a.Run.Chats++
	}
}

// finishChat writes a finished model call or stores it until the end of its run.
func (s *talk) finishChat(a *work.Agent, c *work.Chat) {
	if r := a.Run; a == r.Top && c.Unasked && !r.Closed && !r.Begin.Known && r.First == nil && r.Chats == 0 && c.Span.End.Source != clock.SourceFile {
		r.First = c
		return
	}
	a.Inside.CoverAll(&c.Span)
	s.emit.Chat(a, c)
}

// failedCall writes a model call that failed according to an event. The model said nothing, so no other span has it. It
// lasted from the input it should have answered, including retries.
func (s *talk) failedCall(a *work.Agent, ev *events.DisplayEvent, at clock.Moment) {
	id := cmp.Or(ev.MessageID, ev.ItemID)
	if !ev.Sign.ModelCall || id == "" || a.Closed {
		return
	}
	s.closeChat(a)
	c, r := &work.Chat{Call: a.Thread.Failed(ev, s.program.Agent.System, at)}, a.Run
	a.Cover(&c.Span.Start, &c.Span.End)
	occurrence := s.seen.Nth(&s.seen.Chats, r.Key, id, domainFailed)
	c.ID = r.ChatID(s.program.Agent.Provider, occurrence, id, domainFailed)
	s.finishChat(a, c)
}

// domainFailed separates the ID of a failed call from that of an answer with the same ID.
const domainFailed = "failed"

// converse adds the content of an event to the agent's conversation and to the model call that it is part of.
func (s *talk) converse(a *work.Agent, ev *events.DisplayEvent) {
	settings := &s.registry.settings
	if !settings.Capture.Messages || a.Closed || a.Role == work.RoleDuplicate || !messages.Says(ev) {
		return
	}
	if s.open.Held() >= settings.Limits.PendingBytes {
		a.Thread.Skip()
		s.emit.Count().DroppedArguments++
		return
	}
	var c *modelcall.Call
	if a.Chat != nil {
		c = &a.Chat.Call
	}
	s.open.Hold(a.Thread.Say(ev, c, settings.Limits.ContentBytes))
}

// settleWording writes the pending texts of a model call unless the first account contains all that the call said.
func (s *talk) settleWording(a *work.Agent) {
	w := a.Chat.Wording
	if w == nil {
		return
	}
	for _, what := range w.Waiting {
		kind := what.Event.Kind
		if s.share.HasTexts(a.Run, w, kind) {
			s.emit.Dropped(a.Run)
		} else {
			s.writeRecord(a, nil, what)
		}
	}
	a.Chat.Wording = nil
}

// useTokens adds the usage of an event to the ledgers of the agent and of its run. It returns usage that is too late
// for any span, or nil.
func (s *talk) useTokens(a *work.Agent, ev *events.DisplayEvent, at clock.Moment) (late *events.Usage) {
	u, ofRun := ev.Usage, &a.Run.Top.Ledger
	if u == nil {
		return nil
	}
	if u.Scope != events.UsageScopeCall && a.Run.SubAgent { // no agent writes totals into a sub-agent's own stream
		s.emit.Count().OtherAccount++
		return nil
	}
	if u.Scope == events.UsageScopeProcess || u.Scope == events.UsageScopeSession {
		part := s.sinceLast(ev)
		u = &part
	}
	placed := a.Chat != nil && a.Chat.Take(ev) || s.placeLate(a, ev, at)
	switch {
	case u.Scope != events.UsageScopeCall && ofRun.Closed:
		sum := ofRun.AddLateTotal(ev.Model, u)
		if part := sum.Usage(); part.Tokens != (events.Tokens{}) || part.CostUSD != 0 {
			return &part
		}
		return nil
	case u.Scope != events.UsageScopeCall:
		ofRun.AddTotal(ev.Model, u)
	case a.Role == work.RoleDuplicate:
		ofRun.AddElsewhere(u)
		return nil
	case a == a.Run.Top || a.Ledger.Closed: // only the run's own span is left
		if a.Run.IsChild() && a.Closed {
			a.Run.Closing.Report = work.Due
		}
		ofRun.AddCall(ev.Model, u, placed)
	default:
		a.Ledger.AddCall(ev.Model, u, placed)
		ofRun.AddCall(ev.Model, u, true)
		return nil
	}
	if placed || !ofRun.Closed {
		return nil
	}
	return u
}

// placeLate writes a model call with what a sub-agent reports of an earlier one after its own span was written, or that of its run if
// the sub-agent is unknown. The span of that call was written without it, when a silence closed both.
func (s *talk) placeLate(a *work.Agent, ev *events.DisplayEvent, at clock.Moment) bool {
	r, id := a.Run, cmp.Or(ev.MessageID, ev.ItemID)
	if !a.Ledger.Closed || !content.HasTokens(ev) || ev.Usage.Scope != events.UsageScopeCall || a == r.Top && !r.SubAgent && ev.ParentID == "" {
		return false
	}
	if a.IsJoined() || !a.Exports() || r.Top.Ledger.HasTotals() || s.emit.Counted(r) {
		return false // another account has it, or the totals of the run
	}
	c := &work.Chat{Call: a.Thread.Rest(ev, s.program.Agent.System, at)}
	occurrence := s.seen.Nth(&s.seen.Chats, r.Key, a.SpanID.String(), id, domainLate)
	c.ID = r.ChatID(s.program.Agent.Provider, occurrence, a.SpanID.String(), id, domainLate)
	s.emit.Rest(a, c)
	return true
}

// domainLate separates the ID of a model call that stands for late usage from that of the answer.
const domainLate = "late"

// countUsage adds to the metrics what a model call used and what is too late for its run's span. The rest of the totals
// is added with that span.
func (s *talk) countUsage(a *work.Agent, ev *events.DisplayEvent, at clock.Moment, late *events.Usage) {
	in := a.Span()
	if late != nil {
		s.emit.Count().LateUsage++
		s.emit.Use(a, at, in, emit.Used{Model: ev.Model, Tokens: late.Tokens, CostUSD: late.CostUSD})
	} else if u := ev.Usage; u != nil && u.Scope == events.UsageScopeCall && !s.emit.Counted(s.run) {
		if a.Chat.IsNamed(ev) {
			in.Span = a.Chat.ID
		}
		s.emit.Use(a, at, in, emit.Used{Model: ev.Model, Tokens: u.Tokens, CostUSD: u.CostUSD})
	}
}

// maxProcessModels bounds the models of a stream whose running totals are remembered.
const maxProcessModels = 1024

// sinceLast returns the difference to the previous running total. That of a process was reported in this stream, that
// of a session possibly in the stream of an earlier run.
func (s *talk) sinceLast(ev *events.DisplayEvent) events.Usage {
	u := ev.Usage
	key, ofSession := ledger.RunningKey{Model: ev.Model}, u.Scope == events.UsageScopeSession
	if ofSession {
		key.Provider, key.Session = s.program.Agent.Provider, ev.SessionID
	}
	if s.past.totals == nil {
		totals := ledger.NewRunning(maxProcessModels)
		s.past.totals = &totals
	}
	before, known, evicted := s.past.totals.Swap(key, u)
	if evicted {
		s.emit.Count().ForgottenIDs++
	}
	if ofSession {
		shared, sharedKnown := s.registry.sessionTotal(key, u)
		if !known { // otherwise another stream of that session may belong to someone else
			before, known = shared, sharedKnown
		}
		if !known && s.settings.Resumed {
			s.run.Top.Ledger.Partial = true
			return events.Usage{Scope: u.Scope} // the part from earlier processes is unknown
		}
	}
	return u.Since(&before)
}

// countLate counts the events of a sub-agent after its span was closed.
func (s *talk) countLate(a *work.Agent, ev *events.DisplayEvent) {
	if a.Closed && (a.Call != nil || a.Run.SubAgent) && !(ev.Kind == events.KindTurnDone || ev.Kind == events.KindSessionEnded) {
		s.emit.Count().LateAgents++
	}
}

// measure sets the start of a run from its duration if no line has the start because the first answer is its first
// line. The start is not before the end of the previous run. The first model call gets the same start.
func (s *talk) measure(r *work.Run) {
	if r.Begin.Known || r.End.Line == nil || r.End.Line.Duration <= 0 || !events.PlausibleDuration(r.End.Line.Duration) {
		return
	}
	span := &r.Top.Time
	from := clock.Moment{At: span.End.At.Add(-r.End.Line.Duration), Source: clock.DurationFrom(span.End)}
	if s.past.lastEnd.Known() && from.At.Before(s.past.lastEnd.At) {
		from.At = s.past.lastEnd.At
	}
	if from.At.Before(span.Start.At) {
		span.Start = from
		if r.Chats == 0 {
			s.closeChat(r.Top)
		}
		if r.First != nil {
			r.First.Span.Start = from
		}
	}
}

// reportCall reports the usage of the model call that an event of another account is part of.
func (s *talk) reportCall(a *work.Agent, ev *events.DisplayEvent, at clock.Moment) {
	r := a.Run
	if !r.IsJoined() || a.Role == work.RoleDuplicate || !a.Chat.IsNamed(ev) || s.emit.Counted(r) {
		return
	}
	in := otlp.SpanRef{Trace: r.TraceID, Span: a.Chat.ID}
	c := team.ModelCall{ID: team.CallID(a.Chat.ID), Model: a.Chat.Model}
	if c.Tokens, c.Whole = a.Chat.Tokens(); !c.Whole {
		return
	}
	c.Exported = a.Exports() && !a.Chat.Elsewhere && !s.registry.ids.HasSpan(in)
	late, isNew := r.Ref.Team.Calls.Report(c)
	if isNew {
		s.family.Notify(s.registry.links.AwaitingTeam(r.Ref))
	}
	if late != (events.Tokens{}) && !s.emit.Suppressed {
		s.emit.Count().LateUsage++
		s.emit.Use(a, at, in, emit.Used{Model: c.Model, Tokens: late})
	}
}
