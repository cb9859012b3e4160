package telemetry

import (
	"slices"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/outcome"
)

// finishRun closes the run that ev ends.
func (s *runs) finishRun(a *agent, ev *events.DisplayEvent) {
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

// closeRun closes everything open in the run except sub-agents in the background, and then the run.
func (s *runs) closeRun(r *run, why otlp.CloseReason) {
	r.end.leftOpen = len(r.calls.open) > 0
	r.end.agents = r.unnamedAgents()
	r.closing.abandoned = !r.showsEnd() && why != otlp.CloseReasonResult && why != otlp.CloseReasonSuperseded
	v := s.process.evidenceOf(r, why).Verdict()
	if why == otlp.CloseReasonTimeout {
		k := s.linkNow(r)
		r.closing.silent = r.closing.silent || mayContinue(r, &k)
	}
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
		r.closing.other = r.closing.other || r.awaitsOther(s.self)
		s.endRecord(r, why)
	}
	r.otherOver(s.self)
	r.closed, r.top.closed = true, true
	s.past.lastEnd = r.top.span.End
	s.registry.timers.Stop(waitProgress, s.self)
	s.registry.timers.Stop(waitEnd, s.self)
	if n := len(r.calls.open); n > 0 {
		s.linger(r, n)
	}
	if r.isChild() {
		if r.closing.report = usageReported; !s.idle {
			r.closing.report = usageDue // the next line may continue its work
		}
		if r.closing.silent {
			r.ref.Team.Silenced(r.childKey.Member())
		}
		s.enterLinked(r, s.idle)
		s.writeClosed(r, why)
		s.registry.timers.Stop(waitParent, s.self)
		if maker := s.registry.links.Done(r.childKey); maker != nil && maker != s.self {
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

// closeOpen closes everything open for reason.
func (s *runs) closeOpen(reason otlp.CloseReason) {
	if s.run != nil && !s.run.closed {
		s.closeRun(s.run, s.endOf(s.run, reason))
	}
	for _, a := range s.open.innermostFirst() {
		s.closeAgent(a, outcome.Closed(reason))
	}
	s.closeLingering(reason)
	s.links.announced = nil
	s.writeUnwritten()
}

// showsEnd reports whether an open run has shown its end and has no open call. It is false for a nil run.
func (r *run) showsEnd() bool {
	return r != nil && !r.closed && !r.shape.start && r.signs.ShowEnd() && len(r.calls.open) == 0
}

// isAside reports whether an event is not work of the current run, which has shown its end.
func (r *run) isAside(a *agent, ev *events.DisplayEvent) bool {
	return a == r.top && ev.Sign == (events.Sign{}) && r.showsEnd() && content.ByProgram(ev)
}

// continuedBy returns the continuation of a run that begins with ev: it continues the closed run before it if it begins
// without a prompt, turn or session, or if its end shows this (events.End.Continues).
func (r *run) continuedBy(ev *events.DisplayEvent, session string) continuation {
	if r == nil || !r.closed || r.sessionID != session || !r.exports() {
		return continuation{}
	}
	c := continuation{of: r.ref}
	if r.continues.shown {
		c = continuation{of: r.continues.of, shown: true}
	}
	switch ev.Kind {
	case events.KindPrompt, events.KindSessionStarted, events.KindTurnStarted, events.KindSessionEnded:
		c.shown = false
	default:
		c.shown = true
	}
	return c
}
