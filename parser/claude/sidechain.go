package claude

import (
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// Sub-agents of 1.x are inside the transcript of their session, marked isSidechain, without an agent ID. Their first
// line has no parentUuid and holds the prompt of the Task call; nothing else links the two. All further lines refer
// to it through a chain of parentUuid, interleaved with the lines of other sub-agents.

// sidechains tracks the lines of sub-agents of 1.x.
type sidechains struct {
	*line
	ofLine  memory.Table[string]   // uuid of a sidechain line → ID of the call that started it
	prompts memory.Table[[]string] // prompt of a Task call → IDs of calls whose sidechain has not begun
}

// expectSidechain remembers the prompt that a call passes to its sub-agent.
func (s *sidechains) expectSidechain(prompt scan.Value, id string) {
	if len(prompt.Body()) == 0 || id == "" {
		return
	}
	key := s.idKey(domainPrompt, prompt)
	ids, _ := s.prompts.Get(key)
	if len(ids) < maxTasks {
		s.prompts.Set(key, append(ids, id))
	}
}

// sidechain returns the ID of the call that a sidechain line belongs to, and remembers it for the lines that refer to it.
func (s *sidechains) sidechain(r *sdkstream.Envelope) string {
	if r.Agent.Kind == scan.KindString || !r.Rest.Get("isSidechain").True() {
		return ""
	}
	id := ""
	if parent := r.Rest.Get("parentUuid"); len(parent.Body()) > 0 {
		id, _ = s.ofLine.Get(s.idKey(domainLine, parent))
	} else if r.Kind.Is("user") {
		id = s.claim(r)
	}
	if id != "" && len(r.UUID.Body()) > 0 {
		s.ofLine.Set(s.idKey(domainLine, r.UUID), id)
	}
	return id
}

// claim finds the call with the prompt of a sidechain's first line. Calls with the same prompt are claimed once each,
// in order.
func (s *sidechains) claim(r *sdkstream.Envelope) string {
	prompt := r.Message.Text
	for i := range r.Message.Blocks {
		if prompt.Kind != scan.KindString && r.Message.Blocks[i].Kind.Is("text") {
			prompt = r.Message.Blocks[i].Text
		}
	}
	if len(prompt.Body()) == 0 {
		return ""
	}
	key := s.idKey(domainPrompt, prompt)
	ids, _ := s.prompts.Get(key)
	if len(ids) == 0 {
		return ""
	}
	if len(ids) > 1 {
		s.prompts.Set(key, ids[1:])
	}
	return ids[0]
}
