package telemetry

import (
	"strconv"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/exported"
	"github.com/tailspan/tailspan/session/link"
)

// Several streams can describe the same run or sub-agent. Package account classifies them; secondaccount.go selects
// what a second account exports. Dropped items are counted ([Counts.Copied], [Counts.OtherAccount]).

// allWritten wakes the streams that wait for the account of a run, once nothing of the run is open.
func (s *Stream) allWritten(r *run) {
	if !r.closed || r.isJoined() || r.isChild() || len(r.calls.open) > 0 || r.work.agents > 0 || !r.ref.Write() {
		return
	}
	if r.account != nil {
		s.followUp.notify(s.registry.accounts.Over(r.account))
	}
}

// owns reports whether this stream has the first account of a thing.
func (s *Stream) owns(parts ...string) bool {
	_, mine := s.claim(exported.StableHash(parts...))
	return mine
}

// claim returns the first account of a thing and whether it is this stream's.
func (s *Stream) claim(thing uint64) (first *account.Account, mine bool) {
	return s.registry.accounts.Claim(&s.claims, s.settings.ID, thing)
}

// accountOf returns the hash of a run of a session, equal in each account of it.
func (s *Stream) accountOf(session string, key *runKey) uint64 {
	occurrence := s.seen.Before(&s.seen.Runs, key.String())
	return exported.StableHash("run", s.settings.Agent.Provider, session, key.String(), strconv.Itoa(occurrence))
}

// classifyRun classifies a run that is about to open and returns its first account, if any.
func (s *Stream) classifyRun(session string, key *runKey, waiting []pendingEvent) (account.Standing, *account.Account) {
	if key.marked {
		return account.Marked, nil
	}
	key.account = s.accountOf(session, key)
	return s.registry.accounts.Stand(&account.Opening{
		Stream: s.settings.ID, Claims: &s.claims, Run: key.account, Copy: key.copy,
		Signs: func() ([]uint64, bool) { return s.openingSigns(session, waiting) },
	})
}

// opened records that the run of a first account is open.
func (s *Stream) opened(r *run) {
	s.registry.accounts.Opened(r.account, r.key, r.resource, r.ref)
}

// agentAccount returns the hash of a task of a sub-agent, equal in each account of it.
func agentAccount(key link.Key) uint64 {
	return exported.StableHash("agent", key.Provider, key.Session, key.Agent, strconv.Itoa(key.Task))
}

// accountOfAgent claims a sub-agent for this stream. It returns nil if another stream has its first account.
func (s *Stream) accountOfAgent(key link.Key, span otlp.SpanRef, inline bool) *account.Account {
	return s.registry.accounts.ClaimAgent(&s.claims, s.settings.ID, agentAccount(key), link.RunID{Trace: span.Trace, Top: span.Span}, inline)
}

// firstHasAgent reports whether the first account of a sub-agent is inline in an account of its run, under the same
// span. Another account of the run then exports what that one lacks, like everything else of the run: items whose IDs
// were not exported. A separate stream of the sub-agent is more complete.
func (s *Stream) firstHasAgent(key link.Key, span otlp.SpanRef) bool {
	first := s.registry.accounts.Of(agentAccount(key))
	return first != nil && first.Is(link.RunID{Trace: span.Trace, Top: span.Span})
}

// waitsForRun reports whether a sub-agent's stream has to wait for the end of its run. If the run's first account is a
// stream on standard output, its totals include the tokens of sub-agents, and only its end shows whether it has totals.
func (s *Stream) waitsForRun(ref *link.Run) bool {
	if !s.settings.Agent.TotalsOfAgents || ref.Recorded || ref.Account == 0 {
		return false
	}
	first := s.registry.accounts.Of(ref.Account)
	return first != nil && s.await(first.First())
}

// waitsForAgent reports whether a sub-agent's stream has to wait for the end of the first account of it.
func (s *Stream) waitsForAgent(key link.Key) bool {
	first, mine := s.claim(agentAccount(key))
	return !mine && first != nil && s.await(first)
}

// classifyAgent decides which account of a sub-agent its separate stream is.
func (s *Stream) classifyAgent(r *run, key link.Key) {
	if r.account = s.accountOfAgent(key, r.top.ref(), false); r.account != nil {
		return
	}
	r.standing = account.Second
	if first := s.registry.accounts.Of(agentAccount(key)); first != nil && first.Run() != nil {
		r.standing, r.account, r.late, r.traceID = account.Joined, first, first.Over(), first.Run().Trace
	}
}

// endAgentAccounts ends the accounts of the run's sub-agents. Only now is known whether its totals include their tokens.
func (s *Stream) endAgentAccounts(r *run) {
	for _, a := range r.overAgents {
		s.endAccount(a.account, a.span, r.ref.HasTotals())
	}
	r.overAgents = nil
}

// endAccount ends a first account of this stream.
func (s *Stream) endAccount(first *account.Account, over clock.Interval, totals bool) {
	ref := first.Run()
	ref.End(over, totals)
	ref.Write()
	s.followUp.notify(s.registry.accounts.Over(first))
}
