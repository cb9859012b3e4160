package telemetry

import (
	"slices"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/link"
)

// What a stream knows of its links is kept with its state. A sub-agent's stream keeps its parent's announcements and what it
// used itself ([StreamState.Child], [StreamState.Used]). A stream whose own work is complete is not replayed after a restart,
// and the files of its sub-agents may be yet to be read: what they need to know of it is kept too ([StreamState.Agents],
// [StreamState.Folder]), and [Registry.Recall] gives it back to the registry. What sub-agents used counts then for the runs whose
// spans were not written, which the states of their streams name ([StreamState.Needs]).

// childState is the sub-agent that works in the stream, and what is known of it; nil if none does.
func (s *Stream) childState() *link.Child {
	if s.links.child.IsZero() {
		return nil
	}
	r := s.run
	if !r.isChild() {
		return s.registry.links.State(s.registry.links.Lookup(s.links.child))
	}
	k := s.registry.links.Lookup(r.childKey)
	if r.ref.Span() != nil {
		k = s.linkNow(r) // the run is over, so what the folder shows of the call holds
	}
	if k.Run == nil {
		k.Run = r.ref // known by its turn alone
	}
	return s.registry.links.State(k)
}

// isChild reports whether the run is a sub-agent's task in a stream of its own.
func (r *run) isChild() bool { return r != nil && !r.childKey.IsZero() }

// keepLinks adds to the state of a complete stream what its sub-agents need that have not come.
func (s *Stream) keepLinks(state *StreamState) {
	for _, key := range s.links.announced {
		if k := s.registry.links.Lookup(key); !k.Done && k.Run != nil {
			state.Agents = append(state.Agents, *s.registry.links.State(k))
		}
	}
	if r := s.run; r != nil && s.settings.Agent.Folders {
		state.Folder = s.registry.folders.State(s, s.settings.folder(r.sessionID))
	}
}

// recalled is what the states of streams have of runs and sub-agents, until [Registry.Recalled].
type recalled struct {
	needs  map[link.RunID]struct{}
	agents []*StreamState
}

func (c *recalled) add(state *StreamState) {
	for _, run := range state.Needs {
		if c.needs == nil {
			c.needs = map[link.RunID]struct{}{}
		}
		c.needs[run] = struct{}{}
	}
	if sub := state.Child; sub != nil && sub.Run != nil && len(state.Used)+len(state.Needs) > 0 {
		c.agents = append(c.agents, state)
	}
}

// Recall restores what an earlier state of a stream was the first with, whether or not the stream is opened again: so a
// copy of its history is known for one that is found after a restart, and its sub-agents find their calls. To be called before
// streams are opened.
func (r *Registry) Recall(stream string, state *StreamState) {
	r.accounts.Recall(stream, state.Owned)
	for i := range state.Agents {
		r.links.Restore(&state.Agents[i])
	}
	if state.Folder != nil {
		r.folders.Restore(state.Folder, r.links.Recall)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recalled.add(state)
}

// Recalled ends the calls of [Registry.Recall]: what sub-agents used is entered for the runs that need it, each of which has one
// reference, whichever of the streams is opened first.
func (r *Registry) Recalled() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, state := range r.recalled.agents {
		if _, needed := r.recalled.needs[state.Child.Run.RunID]; !needed {
			continue
		}
		ref := r.links.Recall(state.Child.Run)
		for i := range state.Used {
			ref.Team.Recall(state.Child.Agent, &state.Used[i])
		}
	}
	r.recalled = recalled{}
}

// unwrittenSpans are the spans of the stream's closed runs that were not accepted.
func (s *Stream) unwrittenSpans() (spans []otlp.SpanID) {
	for r := range s.spans.runs() {
		spans = append(spans, r.top.spanID)
	}
	return spans
}

// needs are the runs of the stream's spans that are not written, as far as sub-agents work for them.
func (s *Stream) needs() (runs []link.RunID) {
	add := func(ref *link.Run) {
		if !ref.Team.Empty() && !slices.Contains(runs, ref.RunID) {
			runs = append(runs, ref.RunID)
		}
	}
	if r := s.run; r != nil && !r.closed && !r.isJoined() && r.ref != nil {
		add(r.ref)
	}
	for r := range s.spans.runs() {
		add(r.ref)
	}
	return runs
}

// dropSpans leaves the spans that wait to a later process.
func (s *Stream) dropSpans() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.spans.runs() {
		s.registry.links.ReleaseTeam(s, r.ref, false)
	}
	s.spans = nil
	s.registry.timers.Stop(waitTeam, s)
}
