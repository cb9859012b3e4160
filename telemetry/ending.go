package telemetry

import (
	"slices"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/outcome"
)

// finishRun closes the run that ev ends.
func (s *Stream) finishRun(a *agent, ev *events.DisplayEvent) {
	if a.call != nil {
		if a.detached { // its call is over, so nothing else shows its end
			s.closeAgent(a, (&outcome.Evidence{End: ev.End, Why: otlp.CloseReasonResult}).Verdict())
		}
		return
	}
	if a.run.subAgent && ev.Kind == events.KindTurnDone {
		a.run.noteTurn(ev)
		return
	}
	if a.run.closed {
		return
	}
	a.run.end.line, a.run.end.by, a.run.end.own = endOf(ev.End), ev.Kind, !ev.Synthetic
	a.run.continues.shown = a.run.continues.shown || ev.End != nil && ev.End.Continues
	s.measure(a.run)
	why := otlp.CloseReasonResult
	if ev.Synthetic {
		why = otlp.CloseReasonNoResult // tailspan made this end in the agent's place
	}
	s.closeRun(a.run, why)
}

// endOf copies an end without its result, which only the record has: a run keeps its end until something follows.
func endOf(e *events.End) *events.End {
	if e == nil {
		return nil
	}
	end := *e
	end.Result, end.Err = "", events.CutRunes(end.Err, otlp.ErrTextRunes)
	memory.Own(&end.Code, &end.Err, &end.Principle)
	return &end
}

// attachTotals adds the totals of the run to its end, for readers that did not see its beginning.
func (s *Stream) attachTotals(a *agent, ev *events.DisplayEvent, at clock.Moment) {
	r := a.run
	if !ends(ev) || ev.End == nil || a.call != nil {
		return
	}
	if !r.closed {
		s.takeLinked(r)
	}
	end := *ev.End
	if end.Totals = r.totalsAt(at); r.end.by != ev.Kind && r.closed { // a second end does not know the sub-agents
		end.Totals.Incomplete = false
	}
	e := outcome.Evidence{End: ev.End, Signs: r.signs, Open: len(r.calls.open) > 0, Why: otlp.CloseReasonResult}
	v := e.Verdict()
	if !ev.Synthetic {
		end.Decided, end.Cause = v.Outcome, v.Cause
	}
	if left := outcome.WithoutResult(v.Inner()); left.ErrorType != "" {
		end.Totals.ToolErrors += r.unanswered()
	}
	ev.End = &end
}

// unanswered returns how many calls have no result if the run ends now.
func (r *run) unanswered() (n int) {
	for _, c := range r.calls.open {
		if !c.caller.inBackground() && !c.Requested {
			n++
		}
	}
	return n
}

// totalsAt returns the totals of the run until at.
func (r *run) totalsAt(at clock.Moment) *events.Totals {
	total := r.top.ledger.Total()
	t := &events.Totals{ToolCalls: r.toolCalls, ToolErrors: r.toolErrors, Usage: total.Usage(), Incomplete: r.top.ledger.IsIncomplete()}
	if start := r.top.span.Start; start.Known() && at.Known() {
		if d := at.At.Sub(start.At); events.PlausibleDuration(d) {
			t.Elapsed = d
		}
	}
	return t
}

// measure sets the start of a run from its duration if no line has the start because the first answer is its first
// line. The start is not before the end of the previous run. The first model call gets the same start.
func (s *Stream) measure(r *run) {
	if r.begin.known || r.end.line == nil || r.end.line.Duration <= 0 || !events.PlausibleDuration(r.end.line.Duration) {
		return
	}
	span := &r.top.span
	from := clock.Moment{At: span.End.At.Add(-r.end.line.Duration), Source: clock.DurationFrom(span.End)}
	if s.past.lastEnd.Known() && from.At.Before(s.past.lastEnd.At) {
		from.At = s.past.lastEnd.At
	}
	if from.At.Before(span.Start.At) {
		span.Start = from
		if r.chats == 0 {
			s.closeChat(r.top)
		}
		if r.first != nil {
			r.first.Span.Start = from
		}
	}
}

// closeRun closes everything open in the run except sub-agents in the background, and then the run.
func (s *Stream) closeRun(r *run, why otlp.CloseReason) {
	r.end.leftOpen = len(r.calls.open) > 0
	r.end.agents = r.unnamedAgents()
	r.closing.abandoned = !r.showsEnd() && why != otlp.CloseReasonResult && why != otlp.CloseReasonSuperseded
	v := s.process.evidenceOf(r, why).Verdict()
	inner := v.Inner()
	for _, a := range s.open.innermostFirst() {
		if a.run == r && !a.inBackground() {
			s.closeAgent(a, outcome.Closed(inner))
		}
	}
	for _, c := range slices.Clone(r.calls.open) {
		if !c.caller.inBackground() {
			s.closeCall(c, outcome.WithoutResult(inner))
		}
	}
	s.writeFirst(r)
	s.closeChat(r.top)
	if r.others != nil {
		s.closeChat(r.others)
	}
	s.writeFirst(r) // it may be the only call
	if !r.isChild() {
		r.closing.other = r.closing.other || r.awaitsOther(s)
		s.endRecord(r, why)
	}
	r.otherOver(s)
	r.closed, r.top.closed = true, true
	s.past.lastEnd = r.top.span.End
	s.registry.timers.Stop(waitProgress, s)
	s.registry.timers.Stop(waitEnd, s)
	if n := len(r.calls.open); n > 0 {
		s.linger(r, n)
	}
	if r.isChild() {
		s.enterLinked(r, true)
		s.writeClosed(r, why)
		s.registry.timers.Stop(waitParent, s)
		if maker := s.registry.links.Done(r.childKey); maker != nil && maker != s {
			s.followUp.parents = append(s.followUp.parents, maker)
		}
		s.endAgentAccounts(r)
		if r.standing == account.First && r.account != nil {
			s.endAccount(r.account, r.top.span, false)
		}
		return
	}
	if !r.isJoined() {
		if total := r.top.ledger.Total(); total.Tokens == (events.Tokens{}) {
			r.ref.SetUnused()
		}
		r.ref.End(r.top.span, r.top.ledger.HasTotals())
		if r.top.ledger.HasTotals() {
			r.ref.Team.Calls.Drop()
		}
	}
	s.endAgentAccounts(r)
	s.writeTop(r, why)
	s.allWritten(r)
}
