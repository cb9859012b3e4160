package link

import (
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/team"
)

// Use returns the usage of an agent's sub-agents that work in other streams; see [team.Team.Use].
func (r *Registry[S]) Use(provider string, run *Run, of team.Key, until clock.Instant) team.Use {
	return run.Team.Use(of, until, func(group team.Key) bool {
		return r.Lookup(Key{Provider: provider, Agent: group.Agent, Task: group.Task}).Ended
	})
}

// AwaitTeam makes a stream wait for the sub-agents of a run until it is released, even after its own end.
func (r *Registry[S]) AwaitTeam(s S, run *Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.teams.Add(run, s)
}

// Over records the end and the usage of a sub-agent of a run. If they are new, it returns the streams that wait for them.
func (r *Registry[S]) Over(run *Run, key Key, end clock.Instant, used ledger.ByModel) []S {
	if !run.Team.Over(key.Member(), end, used) {
		return nil
	}
	return r.AwaitingTeam(run)
}

// AwaitingTeam returns the streams that [Registry.AwaitTeam] makes wait.
func (r *Registry[S]) AwaitingTeam(run *Run) []S {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.teams.Of(run)
}

// ReleaseTeam undoes [Registry.AwaitTeam] after a span was accepted: the run's own if itself is true, else that of a sub-agent.
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
