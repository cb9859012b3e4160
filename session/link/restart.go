package link

import "github.com/tailspan/tailspan/session/team"

// NewRun gives a run that a stream opens its team. If a restored state already has the run, NewRun returns that reference.
func (r *Registry[S]) NewRun(run *Run) *Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, ok := r.runs.Get(run.RunID); ok {
		return known
	}
	run.Team = team.New(r.settings.Members)
	return run
}

// Enter makes run the shared reference to its run, so that restored children use the same.
func (r *Registry[S]) Enter(run *Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.runs.Get(run.RunID); !known {
		r.runs.Set(run.RunID, run)
	}
}

// Recall returns the shared reference to a run of a stored state.
func (r *Registry[S]) Recall(saved *Run) *Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.recall(saved)
}

func (r *Registry[S]) recall(saved *Run) *Run {
	run, known := r.runs.Get(saved.RunID)
	if !known {
		run = saved.Snapshot()
		run.Team = team.New(r.settings.Members)
		r.runs.Set(run.RunID, run)
	} else if span := saved.Span(); span != nil {
		run.span.Store(span)
	}
	return run
}

// Restore restores what was known of a sub-agent. The stream of its parent need not be replayed, but may be. The
// results of earlier tasks were exported.
func (r *Registry[S]) Restore(saved *Child) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var run *Run
	if saved.Run != nil {
		run = r.recall(saved.Run)
	}
	for before, again := saved.Key.before(); again; before, again = before.before() {
		r.restore(before, &Child{Run: run, Ended: true, End: finished})
	}
	r.restore(saved.Key, &Child{Run: run, Call: saved.Call, Background: saved.Background, Ended: saved.Ended, End: saved.End})
}

func (r *Registry[S]) restore(key Key, saved *Child) {
	for _, name := range key.names() {
		e := r.entryOf(name)
		if e.Run == nil {
			e.Run = saved.Run
		}
		if e.Call == nil {
			e.Call = saved.Call
		}
		e.Background = e.Background || saved.Background
		if saved.Ended && !e.Ended {
			e.over(saved.End)
		}
	}
}

// State returns the part of a Child to be stored.
func (r *Registry[S]) State(c Child) *Child {
	if c.Run != nil {
		c.Run = c.Run.Snapshot()
	}
	if c.Call != nil && c.Call.Type == "" {
		call := *c.Call
		call.Type = r.AgentType(c.Key)
		c.Call = &call
	}
	return &c
}
