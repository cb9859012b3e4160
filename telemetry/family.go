package telemetry

import (
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/work"
)

// A stream on standard output that was cut can lack the output tokens of its model calls, or all tokens, because their totals come
// with its end. Its transcript has them. If the stream is the first account of the run, the spans of its calls are exported
// without them, so the run's own span has what another account reports (package team), and waits for that account:
//
//	closed → written   the run's other account has ended, and no output is missing; or as in endings.go
//
// A stream that is followed waits only if another account is being read too. What is reported later is only in the metrics.

// awaitsOther reports whether the span of a run that closes now has to wait for another account of the run.
func (s *family) awaitsOther(r *work.Run) bool {
	if r.Standing != account.First || r.Account == nil || r.IsChild() || r.Top.Ledger.HasTotals() {
		return false
	}
	lacks := r.Ref.Team.Calls.Lacking() > 0 || s.settings.Agent.StreamIDs && !s.recorded && r.Shape.Message && r.Top.Ledger.LacksAll()
	return lacks && !s.live && !s.settings.AwaitExit || (lacks || r.Closing.Abandoned) && s.registry.accounts.Awaited(r.Account)
}

// otherOver records that another account of a run has ended.
func (s *family) otherOver(r *work.Run) {
	if r.IsJoined() && !r.IsChild() {
		r.Ref.Team.Calls.EndOther()
		s.followUp.notify(s.registry.links.AwaitingTeam(r.Ref))
	}
}
