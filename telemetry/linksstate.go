package telemetry

import (
	"github.com/tailspan/tailspan/session/link"
)

// The state of a stream includes its links. A sub-agent's stream stores its parent's announcements and its own usage
// ([StreamState.Child], [StreamState.Used]). A complete stream is not replayed after a restart, but the files of its
// sub-agents may not have been read yet. So it also stores what they need to know ([StreamState.Agents],
// [StreamState.Folder]), and [Registry.Recall] restores this in the registry. The usage of sub-agents then counts for
// those runs whose spans were not written, which the states of their streams list ([StreamState.Needs]).

// childState returns what is known of the sub-agent that works in the stream, or nil.
func (s *family) childState() *link.Child {
	if s.links.child.IsZero() {
		return nil
	}
	r := s.run
	if !r.IsChild() {
		return s.registry.links.State(s.registry.links.Lookup(s.links.child))
	}
	k := s.registry.links.Lookup(r.ChildKey)
	if r.Ref.Span() != nil {
		k = s.linkNow(r) // the run is over, so what the folder shows of the call is final
	}
	if k.Run == nil {
		k.Run = r.Ref // known by its turn alone
	}
	return s.registry.links.State(k)
}

// keepLinks adds to the state of a complete stream what its unseen sub-agents need.
func (s *family) keepLinks(state *StreamState) {
	for _, key := range s.links.announced {
		if k := s.registry.links.Lookup(key); !k.Done && k.Run != nil {
			state.Agents = append(state.Agents, *s.registry.links.State(k))
		}
	}
	if r := s.run; r != nil && s.settings.Agent.Folders {
		state.Folder = s.registry.folders.State(s.self, s.settings.folder(r.SessionID))
	}
}

// recalled collects runs and sub-agents from the states of streams until [Registry.Recalled].
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
