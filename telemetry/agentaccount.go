package telemetry

import (
	"strconv"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/link"
)

// agentAccount is the hash of a task of a sub-agent, the same in each account of it.
func agentAccount(key link.Key) uint64 {
	return stableHash("agent", key.Provider, key.Session, key.Agent, strconv.Itoa(key.Task))
}

// accountOfAgent makes this stream the first with a sub-agent; nil if another one is.
func (s *Stream) accountOfAgent(key link.Key, span otlp.SpanRef, inline bool) *account {
	first, mine := s.claim(agentAccount(key))
	if !mine {
		return nil
	}
	first.inline = inline
	first.ref.Store(&link.Run{RunID: link.RunID{Trace: span.Trace, Top: span.Span}})
	return first
}

// firstHasAgent reports whether the first account of a sub-agent is a part of one of its run, under the same span. What another
// account of the run has of that is then exported as all that is of the run: what has no id that is out. A stream of the
// sub-agent's own has more of it.
func (s *Stream) firstHasAgent(key link.Key, span otlp.SpanRef) bool {
	first := s.registry.account(agentAccount(key))
	if first == nil {
		return false
	}
	ref := first.ref.Load()
	return ref != nil && first.inline && refTo(ref) == span
}

// waitsForRun reports whether a stream of a sub-agent has to wait for the end of its run: where a stream on standard
// output is the first account of that, its totals hold the tokens of sub-agents, and only the end shows whether there are any.
func (s *Stream) waitsForRun(ref *link.Run) bool {
	if !s.settings.Agent.TotalsOfAgents || ref.Recorded || ref.Account == 0 {
		return false
	}
	first := s.registry.account(ref.Account)
	if first != nil && first.alias.Load() != nil {
		first = first.alias.Load()
	}
	return first != nil && s.await(first)
}

// waitsForAgent reports whether a stream of a sub-agent has to wait for the end of the first account of it.
func (s *Stream) waitsForAgent(key link.Key) bool {
	first, mine := s.claim(agentAccount(key))
	return !mine && first != nil && s.await(first)
}

// standAgent decides which account of a sub-agent its own stream is.
func (s *Stream) standAgent(r *run, key link.Key) {
	if r.account = s.accountOfAgent(key, r.top.ref(), false); r.account != nil {
		return
	}
	r.standing = standingSecond
	if first := s.registry.account(agentAccount(key)); first != nil && first.ref.Load() != nil {
		r.standing, r.account, r.late, r.traceID = standingJoined, first, first.over(), first.ref.Load().Trace
	}
}

// endAgentAccounts ends the accounts of the sub-agents of a run: now it is known whether its totals hold theirs.
func (s *Stream) endAgentAccounts(r *run) {
	for _, a := range r.overAgents {
		s.endAccount(a.account, a.span, r.ref.HasTotals())
	}
	r.overAgents = nil
}

// endAccount ends an account that this stream was the first with.
func (s *Stream) endAccount(first *account, over clock.Interval, totals bool) {
	ref := first.ref.Load()
	ref.End(over, totals)
	ref.Write()
	s.followUp.notify(s.registry.accountOver(first))
}
