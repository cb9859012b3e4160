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

// finishRun closes the run with what its last line says.
func (s *Stream) finishRun(a *agent, ev *events.DisplayEvent) {
	if a.call != nil {
		if a.detached { // its call is over, so this is all that shows its end
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
		why = otlp.CloseReasonNoResult // it is given in the agent's place
	}
	s.closeRun(a.run, why)
}

// endOf is an end without its result, which is in the record alone: a run's end is kept for as long as nothing follows it.
func endOf(e *events.End) *events.End {
	if e == nil {
		return nil
	}
	end := *e
	end.Result, end.Err = "", events.CutRunes(end.Err, otlp.ErrTextRunes)
	memory.Own(&end.Code, &end.Err, &end.Principle)
	return &end
}

// attachTotals adds to what ends a run what the run did in all, for those who were not there from its beginning.
func (s *Stream) attachTotals(a *agent, ev *events.DisplayEvent, at clock.Moment) {
	r := a.run
	if !ends(ev) || ev.End == nil || a.call != nil {
		return
	}
	if !r.closed {
		s.takeLinked(r)
	}
	end := *ev.End
	if end.Totals = r.totalsAt(at); r.end.by != ev.Kind && r.closed { // a second end, of which no sub-agents are known
		end.Totals.Incomplete = false
	}
	e := outcome.Evidence{End: ev.End, Signs: r.signs, Open: len(r.calls.open) > 0, Why: otlp.CloseReasonResult}
	if v := e.Verdict(); !ev.Synthetic {
		end.Decided, end.Cause = v.Outcome, v.Cause
	}
	ev.End = &end
}

// totalsAt is what the run has done until at.
func (r *run) totalsAt(at clock.Moment) *events.Totals {
	total := r.top.ledger.Total()
	t := &events.Totals{ToolCalls: r.toolCalls, ToolErrors: r.toolErrors, Usage: total.Usage(), Incomplete: r.top.ledger.Incomplete || r.top.ledger.Partial}
	if start := r.top.span.Start; start.Known() && at.Known() {
		if d := at.At.Sub(start.At); events.PlausibleDuration(d) {
			t.Elapsed = d
		}
	}
	return t
}

// measure gives a run whose start no line has, because its first sign is the first answer, the start that its
// duration gives; but not before the end of the run before. Its first model call began with it.
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

// closeRun closes all that the run has open but sub-agents in the background, and then the run.
func (s *Stream) closeRun(r *run, why otlp.CloseReason) {
	r.end.leftOpen = len(r.calls.open) > 0
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
	s.writeFirst(r) // if it was the only one
	if !r.isChild() {
		s.endRecord(r, why)
	}
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
			s.followUp.lighter = append(s.followUp.lighter, maker)
		}
		s.endAgentAccounts(r)
		if r.standing == account.First && r.account != nil {
			s.endAccount(r.account, r.top.span, false)
		}
		return
	}
	if !r.isJoined() {
		r.ref.End(r.top.span, r.top.ledger.HasTotals())
	}
	s.endAgentAccounts(r)
	s.writeTop(r, why)
	s.allWritten(r)
}
