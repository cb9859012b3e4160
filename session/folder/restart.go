package folder

import (
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/link"
)

// State is what is known of a session, as JSON: its runs and its newest time.
type State struct {
	Session
	Latest clock.Instant `json:"latest"`
	Runs   []RunState    `json:"runs"`
}

// RunState is a run with its start and the calls that started agents.
type RunState struct {
	Run    *link.Run     `json:"run"`
	Start  clock.Instant `json:"start"`
	Spawns []Spawn       `json:"spawns,omitempty"`
}

// State returns what is known of a session if a call in the stream maker started an agent whose file was not read yet, else nil.
func (r *Registry[S]) State(maker S, of Session) *State {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, known := r.sessions.Get(of)
	if !known {
		return nil
	}
	missed := false
	state := &State{Session: of, Latest: s.latest}
	for _, run := range s.runs {
		one := RunState{Run: run.Snapshot(), Start: run.start}
		for _, c := range run.spawns {
			missed = missed || c.maker == maker && !c.found
			one.Spawns = append(one.Spawns, c.Spawn)
		}
		state.Runs = append(state.Runs, one)
	}
	if !missed {
		return nil
	}
	return state
}

// Restore restores a state. runs returns the shared reference to a run.
func (r *Registry[S]) Restore(state *State, runs func(*link.Run) *link.Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sessionOf(state.Session)
	s.latest = max(s.latest, state.Latest)
	for i := range state.Runs {
		saved := &state.Runs[i]
		ref := runs(saved.Run)
		if s.of(ref) != nil {
			continue
		}
		one := &run[S]{Run: ref, start: saved.Start}
		for _, c := range saved.Spawns {
			one.spawns = append(one.spawns, &spawn[S]{Spawn: c})
		}
		s.runs = append(s.runs, one)
	}
}
