package family

import (
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/work"
)

// Enter reports the usage of a sub-agent to the team of its run.
func (f *Family[S]) Enter(r *work.Run, over bool) {
	var end clock.Instant
	if last := r.Top.Time.End; last.FromLine() || last.Source == clock.SourceCarried {
		end = last.At
	}
	if f.set.ParentSession != "" && over {
		if k := f.Known(r); k.Call != nil {
			r.Ref.Team.Spawned(r.ChildKey.Member(), spawnKey(k.Call))
		}
	}
	if !over {
		r.Ref.Team.GoesOn(r.ChildKey.Member())
	} else {
		f.Notify(f.set.Links.Over(r.Ref, r.ChildKey, end, r.Top.Ledger.OwnExported()))
	}
}

// Lacks reports whether sub-agents of a closed run are, or may be, active, or whether the next line may continue the run
// itself, which is a sub-agent's. For a stream on standard output it is unknown whether the files of its sub-agents are read at
// all, so it waits only for those whose files were seen.
func (f *Family[S]) Lacks(r *work.Run) bool {
	u := f.set.Links.Use(f.set.Program.Agent.Provider, r.Ref, r.ChildKey.Member(), 0)
	if u.AtWork || r.Closing.Report == work.Due || r.LacksOther() {
		return true
	}
	areRead := f.set.Program.Recorded || r.IsChild()
	return areRead && (u.Unseen || u.Groups || u.Unasked < r.UnnamedAgents())
}

// SumsUp reports whether the run's own totals include the tokens of its sub-agents.
func (f *Family[S]) SumsUp(r *work.Run) bool {
	return !r.IsChild() && f.set.Program.Agent.TotalsOfAgents && r.Top.Ledger.HasTotals()
}

// Take updates the ledger of a run with the usage of sub-agents in other streams.
func (f *Family[S]) Take(r *work.Run) {
	if f.SumsUp(r) || r.IsJoined() || r.Ref == nil {
		return
	}
	var until clock.Instant
	if end := r.Top.Time.End; !r.Closing.Abandoned && (end.FromLine() || end.Source == clock.SourceCarried) {
		until = end.At.Add(f.set.Wait)
	}
	u := f.set.Links.Use(f.set.Program.Agent.Provider, r.Ref, r.ChildKey.Member(), until)
	r.Top.Ledger.Linked = u.Used
	r.Top.Ledger.Incomplete = u.Incomplete || !r.IsChild() && r.Closing.Silent || f.set.Program.Recorded && u.Unasked < r.UnnamedAgents()
	r.TakeCalls(false)
}

// OtherOver records that another account of a run has ended.
func (f *Family[S]) OtherOver(r *work.Run) {
	if r.IsJoined() && !r.IsChild() {
		r.Ref.Team.Calls.EndOther()
		f.Notify(f.set.Links.AwaitingTeam(r.Ref))
	}
}
