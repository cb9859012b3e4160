package link

import (
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/team"
)

// Use is what the sub-agents in other streams used that work for an agent of a run; see [team.Team.Use].
func (r *Registry[S]) Use(provider string, run *Run, of team.Key, until clock.Instant) team.Use {
	return run.Team.Use(of, until, func(group team.Key) bool {
		return r.Lookup(Key{Provider: provider, Agent: group.Agent, Task: group.Task}).Ended
	})
}

// AwaitTeam has a stream wait for the sub-agents of a run until it is released, also beyond its own end.
func (r *Registry[S]) AwaitTeam(s S, run *Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.teams.Add(run, s)
}

// Over notes that the work of a sub-agent of a run is over, and what it used. It returns the streams that wait for that, if it is new.
func (r *Registry[S]) Over(run *Run, key Key, end clock.Instant, used ledger.ByModel) []S {
	if !run.Team.Over(key.Member(), end, used) {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.teams.Of(run)
}

// ReleaseTeam undoes [Registry.AwaitTeam], since a span was accepted: that of the run itself, or of a sub-agent of it.
func (r *Registry[S]) ReleaseTeam(s S, run *Run, itself bool) {
	r.mu.Lock()
	r.teams.Drop(run, s)
	r.mu.Unlock()
	if itself {
		run.Team.Written()
	} else {
		run.Team.Closed()
	}
}
