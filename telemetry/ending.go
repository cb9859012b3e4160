package telemetry

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/events"
)

// finishRun closes the run with what its last line tells.
func (s *Stream) finishRun(a *agent, ev *events.DisplayEvent) {
	if a.call != nil {
		if a.detached { // its call is over, so this is all that tells its end
			s.closeAgent(a, CloseReasonResult, ev.End != nil && ev.End.Error)
		}
		return
	}
	if a.run.closed || a.run.subAgent && ev.Kind == events.KindTurnDone {
		return // a sub-agent may have several turns: its work ends with its call
	}
	a.run.end, a.run.endedBy = endOf(ev.End), ev.Kind
	reason := CloseReasonResult
	switch {
	case ev.End != nil && stopped(ev.End):
		reason = CloseReasonInterrupted
	case ev.Synthetic && s.exit != nil: // told in the agent's place
		reason = s.exit.Reason()
	}
	s.measure(a.run)
	s.closeRun(a.run, reason)
}

// endOf is an end without its result, which is in the record alone: a run's end is kept for as long as nothing follows it.
func endOf(e *events.End) *events.End {
	if e == nil {
		return nil
	}
	end := *e
	end.Result, end.Err = "", events.CutRunes(end.Err, errTextRunes)
	own(&end.Code, &end.Err, &end.Principle)
	return &end
}

// tellTotals adds to what ends a run what the run did in all, for those who were not there from its beginning.
func tellTotals(a *agent, ev *events.DisplayEvent, at moment) {
	r := a.run
	if !ends(ev) || ev.End == nil || a.call != nil {
		return
	}
	end, total := *ev.End, r.top.ledger.total()
	end.Totals = &events.Totals{ToolCalls: r.toolCalls, ToolErrors: r.toolErrors, Usage: total.usage()}
	if start := r.top.span.start; start.known() && at.known() {
		if d := at.at.Sub(start.at); events.PlausibleDuration(d) {
			end.Totals.Elapsed = d
		}
	}
	ev.End = &end
}

// stopped reports whether a run was stopped by the user, or by the agent itself on principle: that is no failure.
func stopped(e *events.End) bool { return e.Interrupted || e.Principle != "" }

// measure gives a run that no line told the start of, because its first sign is the first answer, the start that its
// duration tells; but not before the end of the run before. Its first model call began with it.
func (s *Stream) measure(r *run) {
	if r.beginTold || r.end == nil || r.end.Duration <= 0 || !events.PlausibleDuration(r.end.Duration) {
		return
	}
	span := &r.top.span
	from := moment{at: span.end.at.Add(-r.end.Duration), source: durationFrom(span.end)}
	if s.lastEnd.known() && from.at.Before(s.lastEnd.at) {
		from.at = s.lastEnd.at
	}
	if from.at.Before(span.start.at) {
		span.start = from
		if r.chats == 0 {
			s.closeChat(r.top)
		}
		if r.first != nil {
			r.first.span.start = from
		}
	}
}

// closeRun closes all that the run has open but sub-agents in the background, and then the run.
func (s *Stream) closeRun(r *run, reason CloseReason) {
	inner := reason
	if reason == CloseReasonResult {
		inner = CloseReasonNoResult
	}
	for _, a := range s.innermostFirst() {
		if a.run == r && !a.inBackground() {
			s.closeAgent(a, inner, inner.failed())
		}
	}
	for _, c := range slices.Clone(r.calls.open) {
		if !c.caller.inBackground() {
			s.closeCall(c, failure(inner))
		}
	}
	s.writeFirst(r)
	s.closeChat(r.top)
	s.writeFirst(r) // if it was the only one
	r.closed, r.top.closed = true, true
	s.lastEnd = r.top.span.end
	s.registry.release(s.registry.live, s)
	if n := len(r.calls.open); n > 0 {
		s.linger(r, n)
	}
	if r.kin != (agentKey{}) {
		s.writeChild(r, reason)
		s.registry.childClosed(s)
		s.registry.agentDone(r.kin)
		return
	}
	if !r.joined {
		over := r.top.span
		r.ref.totals = r.top.ledger.hasTotals()
		r.ref.span.Store(&over)
		if r.account != nil {
			s.tell(s.registry.accountOver(r.account))
		}
	}
	s.writeTop(r, reason)
}

// runFailed tells whether a run counts as failed: as its result says, or because its process died.
func runFailed(r *run, reason CloseReason) bool {
	if reason == CloseReasonResult {
		return r.end != nil && r.end.Error
	}
	return reason.failed()
}

// errorTypeOf is the low-cardinality word for why a run failed: the format's own code, else the way it ended.
func errorTypeOf(r *run, reason CloseReason) string {
	if reason != CloseReasonResult {
		return string(reason)
	}
	if r.end != nil && r.end.Code != "" && r.end.Code != ResultSuccess {
		return r.end.Code
	}
	return ErrorTypeOther
}

// putRun writes what a run's own span has over that of a sub-agent, and returns the error's text.
func (s *Stream) putRun(m pcommon.Map, r *run) string {
	m.PutStr(AttrRunKey, r.key)
	message := ""
	if r.end != nil {
		putPositive(m, AttrTurns, int64(r.end.Turns))
		putStr(m, AttrEndCode, r.end.Code)
		putStr(m, AttrEndPrinciple, r.end.Principle)
		message = r.end.Err
	}
	return message
}
