package telemetry

import (
	"strconv"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/exported"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/pending"
)

// Several streams can describe the same run or sub-agent. Package account classifies them; secondaccount.go selects
// what a second account exports. Dropped items are counted ([Counts.Copied], [Counts.OtherAccount]).

// accounting decides which of several accounts of a run or a sub-agent exports what.
type accounting struct {
	identities
	claims account.Claims
}

// allWritten wakes the streams that wait for the account of a run, once nothing of the run is open.
func (s *accounting) allWritten(r *run) {
	if !r.closed || r.isJoined() || r.isChild() || len(r.calls.open) > 0 || r.work.agents > 0 || !r.ref.Write() {
		return
	}
	if r.account != nil {
		s.followUp.notify(s.registry.accounts.Over(r.account))
	}
}

// owns reports whether this stream has the first account of a thing.
func (s *accounting) owns(parts ...string) bool {
	_, mine := s.claim(exported.StableHash(parts...))
	return mine
}

// claim returns the first account of a thing and whether it is this stream's.
func (s *accounting) claim(thing uint64) (first *account.Account, mine bool) {
	return s.registry.accounts.Claim(&s.claims, s.settings.ID, thing)
}

// accountOf returns the hash of a run of a session, equal in each account of it.
func (s *accounting) accountOf(session string, key *runKey) uint64 {
	occurrence := s.seen.Before(&s.seen.Runs, key.String())
	return exported.StableHash("run", s.settings.Agent.Provider, session, key.String(), strconv.Itoa(occurrence))
}

// classifyRun classifies a run that is about to open and returns its first account, if any.
func (s *accounting) classifyRun(session string, key *runKey, waiting pending.Events) (account.Standing, *account.Account) {
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
func (s *accounting) opened(r *run) {
	s.registry.accounts.Opened(r.account, r.key, r.resource, r.ref)
}

// agentAccount returns the hash of a task of a sub-agent, equal in each account of it.
func agentAccount(key link.Key) uint64 {
	return exported.StableHash("agent", key.Provider, key.Session, key.Agent, strconv.Itoa(key.Task))
}

// accountOfAgent claims a sub-agent for this stream. It returns nil if another stream has its first account.
func (s *accounting) accountOfAgent(key link.Key, span otlp.SpanRef, inline bool) *account.Account {
	return s.registry.accounts.ClaimAgent(&s.claims, s.settings.ID, agentAccount(key), link.RunID{Trace: span.Trace, Top: span.Span}, inline)
}

// firstHasAgent reports whether the first account of a sub-agent is inline in an account of its run, under the same
// span. Another account of the run then exports what that one lacks, like everything else of the run: items whose IDs
// were not exported. A separate stream of the sub-agent is more complete.
func (s *accounting) firstHasAgent(key link.Key, span otlp.SpanRef) bool {
	first := s.registry.accounts.Of(agentAccount(key))
	return first != nil && first.Is(link.RunID{Trace: span.Trace, Top: span.Span})
}

// classifyAgent decides which account of a sub-agent its separate stream is.
func (s *accounting) classifyAgent(r *run, key link.Key) {
	if r.account = s.accountOfAgent(key, r.top.ref(), false); r.account != nil {
		return
	}
	r.standing = account.Second
	if first := s.registry.accounts.Of(agentAccount(key)); first != nil && first.Run() != nil {
		r.standing, r.account, r.late, r.traceID = account.Joined, first, first.Over(), first.Run().Trace
	}
}

// endAgentAccounts ends the accounts of the run's sub-agents. Only now is known whether its totals include their tokens.
func (s *accounting) endAgentAccounts(r *run) {
	for _, a := range r.overAgents {
		s.endAccount(a.account, a.span, r.ref.HasTotals())
	}
	r.overAgents = nil
}

// endAccount ends a first account of this stream.
func (s *accounting) endAccount(first *account.Account, over clock.Interval, totals bool) {
	ref := first.Run()
	ref.End(over, totals)
	ref.Write()
	s.followUp.notify(s.registry.accounts.Over(first))
}

// joinAccount makes a run a further account of a run whose first account is in another stream. Its additional content
// goes into the trace of the first, below its run. Its own step is exported with a link to that run.
func (s *accounting) joinAccount(r *run) {
	ref := r.account.Run()
	otherKind := s.settings.Agent.StreamIDs && s.recorded != ref.Recorded
	r.standing = s.registry.accounts.Join(r.account, s.settings.ID, r.key, otherKind)
	r.late = r.account.Over()
	r.ref, r.traceID, r.idScope, r.top.spanID = ref, ref.Trace, ref.Scope, ref.Top
	s.stepOfAccount(r, r.account.Resource(), refTo(ref))
}

// stepOfAccount adds a second account to its own pipeline and step, which link to the first account's run.
func (s *accounting) stepOfAccount(r *run, ofFirst *otlp.Resource, first otlp.SpanRef) {
	if s.settings.Parent.Empty() {
		r.inPipeline = s.registry.accountStarted(r.resource, ofFirst, first)
	}
}

// secondExports reports whether events of this kind may be exported from a second account: what the agent said and did.
func secondExports(kind events.Kind) bool {
	switch kind {
	case events.KindText, events.KindReasoning, events.KindMessage, events.KindToolUse, events.KindToolResult, events.KindUsage:
		return true
	default:
		return false
	}
}

// decision is the handling of a record.
type decision uint8

const (
	recordDropped decision = iota
	recordExported
	recordWaits // until the other texts of its model call are known
)

func exportedIf(yes bool) decision {
	if yes {
		return recordExported
	}
	return recordDropped
}

// exportsRecord decides on the record of an event, as far as accounts matter: a second account exports only what the
// first does not have.
func (s *accounting) exportsRecord(a *agent, of *call, what sighting) decision {
	r, ev := a.run, what.ev
	switch {
	case !a.exports():
		return recordDropped
	case !r.isJoined():
		return recordExported
	case !secondExports(ev.Kind):
		return recordDropped
	case ev.Kind == events.KindUsage: // with the model call that reported it; otherwise it is a total
		return exportedIf(a.chat.isNamed(ev) && !a.chat.elsewhere)
	case r.standing == account.Joined:
		return recordExported
	case of != nil:
		return exportedIf(!of.elsewhere)
	case content.IsText(ev):
		return s.decideWords(a, what)
	default:
		return exportedIf(!s.hasSign(r, ev))
	}
}

// exported reports whether this stream exports the span of the call.
func (c *call) exported() bool { return c.caller.exports() && !c.elsewhere }

// dropped counts a record that is not exported because another stream exports it or its original.
func (s *accounting) dropped(r *run) {
	switch {
	case s.suppressed:
	case r.isCopy():
		s.count().Copied++
	default:
		s.count().OtherAccount++
	}
}
