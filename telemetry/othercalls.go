package telemetry

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/team"
)

// A stream on standard output that was cut can lack the output tokens of its model calls, or all tokens, because their totals come
// with its end. Its transcript has them. If the stream is the first account of the run, the spans of its calls are exported
// without them, so the run's own span has what another account reports (package team), and waits for that account:
//
//	closed → written   the run's other account has ended, and no output is missing; or as in spanwait.go
//
// A stream that is followed waits only if another account is being read too. What is reported later is only in the metrics.

// awaitsOther reports whether the span of a run that closes now has to wait for another account of the run.
func (r *run) awaitsOther(s *Stream) bool {
	if r.standing != account.First || r.account == nil || r.isChild() || r.top.ledger.HasTotals() {
		return false
	}
	total := r.top.ledger.Total()
	lacks := r.ref.Team.Calls.Lacking() > 0 || s.settings.Agent.StreamIDs && !s.recorded && r.shape.message && total.Tokens == (events.Tokens{})
	return lacks && !s.live && !s.settings.AwaitExit || (lacks || r.closing.abandoned) && s.registry.accounts.Awaited(r.account)
}

// lacksOther reports whether a closed run still waits for its other account.
func (r *run) lacksOther() bool { return r.closing.other && !r.ref.Team.Calls.Complete() }

// lacksCall records that the first account lacks the output of a model call, or that another account exported it.
func (a *agent) lacksCall(c *chat) {
	switch r := a.run; {
	case r.standing != account.First:
	case !r.isChild():
		r.ref.Team.Calls.Lack(c.known())
	case !c.LacksOutput(): // it is in the stream of its run, which does not name it (Claude Code 2.0.50)
		tokens, _ := c.Tokens()
		a.ledger.AddExportedElsewhere(c.Model, tokens)
	}
}

// exportsCall records that the span of a model call is exported.
func (r *run) exportsCall(c *chat) {
	if r.standing == account.First && !r.isChild() {
		r.ref.Team.Calls.Export(c.known())
	}
}

// known returns what the first account has of a model call.
func (c *chat) known() team.ModelCall {
	tokens, _ := c.Tokens()
	return team.ModelCall{ID: team.CallID(c.ID), Model: c.Model, Tokens: tokens, Whole: !c.LacksOutput()}
}

// reportCall reports the usage of the model call that an event of another account is part of.
func (a *agent) reportCall(s *Stream, ev *events.DisplayEvent, at clock.Moment) {
	r := a.run
	if !r.isJoined() || a.role == roleDuplicate || !a.chat.isNamed(ev) || s.counted(r) {
		return
	}
	in := otlp.SpanRef{Trace: r.traceID, Span: a.chat.ID}
	c := team.ModelCall{ID: team.CallID(a.chat.ID), Model: a.chat.Model}
	if c.Tokens, c.Whole = a.chat.Tokens(); !c.Whole {
		return
	}
	c.Exported = a.exports() && !a.chat.elsewhere && !s.registry.ids.HasSpan(in)
	late, isNew := r.ref.Team.Calls.Report(c)
	if isNew {
		s.followUp.notify(s.registry.links.AwaitingTeam(r.ref))
	}
	if late != (events.Tokens{}) && !s.suppressed {
		s.count().LateUsage++
		a.use(s, at, in, Used{Model: c.Model, Tokens: late})
	}
}

// takeCalls updates the ledger of a run with what other accounts report of its model calls. total is true if the run's span is
// made with it.
func (r *run) takeCalls(total bool) {
	if r.isChild() || r.isJoined() || r.ref == nil {
		return
	}
	r.top.ledger.Added = r.ref.Team.Calls.Found(total, func(part team.ModelCall, whole bool) {
		r.top.ledger.AddMissing(part.Model, part.Tokens, part.Exported, whole)
	})
}

// otherOver records that another account of a run has ended.
func (r *run) otherOver(s *Stream) {
	if r.isJoined() && !r.isChild() {
		r.ref.Team.Calls.EndOther()
		s.followUp.notify(s.registry.links.AwaitingTeam(r.ref))
	}
}
