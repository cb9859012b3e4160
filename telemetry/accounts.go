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
	"github.com/tailspan/tailspan/session/work"
)

// Several streams can describe the same run or sub-agent. Package account classifies them, and exportsRecord selects
// what a second account exports. Dropped items are counted ([Counts.Copied], [Counts.OtherAccount]).

// accounting decides which of several accounts of a run or a sub-agent exports what.
type accounting struct {
	identities
	claims account.Claims
}

// allWritten wakes the streams that wait for the account of a run, once nothing of the run is open.
func (s *accounting) allWritten(r *work.Run) {
	if !r.Closed || r.IsJoined() || r.IsChild() || r.Calls.AnyOpen() || s.open.IsBusy(r) || !r.Ref.Write() {
		return
	}
	if r.Account != nil {
		s.followUp.notify(s.registry.accounts.Over(r.Account))
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
		Signs: func() ([]uint64, bool) { return s.signs.Opening(session, waiting), s.recorded || waiting.Recorded() },
	})
}

// opened records that the run of a first account is open.
func (s *accounting) opened(r *work.Run) {
	s.registry.accounts.Opened(r.Account, r.Key, r.Resource, r.Ref)
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
func (s *accounting) classifyAgent(r *work.Run, key link.Key) {
	if r.Account = s.accountOfAgent(key, r.Top.Span(), false); r.Account != nil {
		return
	}
	r.Standing = account.Second
	if first := s.registry.accounts.Of(agentAccount(key)); first != nil && first.Run() != nil {
		r.Standing, r.Account, r.Late, r.TraceID = account.Joined, first, first.Over(), first.Run().Trace
	}
}

// endAgentAccounts ends the accounts of the run's sub-agents. Only now is known whether its totals include their tokens.
func (s *accounting) endAgentAccounts(r *work.Run) {
	for _, a := range r.OverAgents {
		s.endAccount(a.Account, a.Time, r.Ref.HasTotals())
	}
	r.OverAgents = nil
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
func (s *accounting) joinAccount(r *work.Run) {
	ref := r.Account.Run()
	otherKind := s.settings.Agent.StreamIDs && s.recorded != ref.Recorded
	r.Standing = s.registry.accounts.Join(r.Account, s.settings.ID, r.Key, otherKind)
	r.Late = r.Account.Over()
	r.Ref, r.TraceID, r.IdScope, r.Top.SpanID = ref, ref.Trace, ref.Scope, ref.Top
	s.stepOfAccount(r, r.Account.Resource(), refTo(ref))
}

// stepOfAccount adds a second account to its own pipeline and step, which link to the first account's run.
func (s *accounting) stepOfAccount(r *work.Run, ofFirst *otlp.Resource, first otlp.SpanRef) {
	if s.settings.Parent.Empty() {
		r.InPipeline = s.registry.accountStarted(r.Resource, ofFirst, first)
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
func (s *accounting) exportsRecord(a *work.Agent, of *work.Call, what pending.Sighting) decision {
	r, ev := a.Run, what.Event
	switch {
	case !a.Exports():
		return recordDropped
	case !r.IsJoined():
		return recordExported
	case !secondExports(ev.Kind):
		return recordDropped
	case ev.Kind == events.KindUsage: // with the model call that reported it; otherwise it is a total
		return exportedIf(a.Chat.IsNamed(ev) && !a.Chat.Elsewhere)
	case r.Standing == account.Joined:
		return recordExported
	case of != nil:
		return exportedIf(!of.Elsewhere)
	case content.IsText(ev):
		return s.decideWords(a, what)
	default:
		return exportedIf(!s.hasSign(r, ev))
	}
}

// dropped counts a record that is not exported because another stream exports it or its original.
func (s *accounting) dropped(r *work.Run) {
	switch {
	case s.suppressed:
	case r.IsCopy():
		s.count().Copied++
	default:
		s.count().OtherAccount++
	}
}

// noteSigns adds the signs of an item to the first account of a run. again is true if the record was exported before.
func (s *accounting) noteSigns(a *work.Agent, ev *events.DisplayEvent, again bool) {
	r := a.Run
	signs := s.signs.Signs(r.SessionID, ev)
	if len(signs) == 0 || r.Account == nil || r.IsChild() { // accounts of a sub-agent are matched by its ID
		return
	}
	switch {
	case content.IsText(ev):
		own, all := s.signs.Text(a.WordingOf(ev), r.SessionID, ev)
		signs = append(signs, own, all)
	case !again:
		signs = append(signs, s.signs.Call(&r.TwinCalls, ev, signs[0]))
	}
	s.registry.accounts.Enter(r.Account, signs, s.recorded)
}

// hasSign reports whether the first account of a run has the item of ev, or may have it: an item without a sign proves
// nothing.
func (s *accounting) hasSign(r *work.Run, ev *events.DisplayEvent) bool {
	signs := s.signs.Signs(r.SessionID, ev)
	return len(signs) == 0 || s.hasAnySign(r, signs...)
}

// hasAnySign reports whether the first account of a run has one of the signs.
func (s *accounting) hasAnySign(r *work.Run, signs ...uint64) bool {
	return s.registry.accounts.Has(r.Account, signs, !s.recorded)
}

// hasCall reports whether the first account of a run has as many calls like ev as the second has up to it.
func (s *accounting) hasCall(r *work.Run, ev *events.DisplayEvent) bool {
	signs := s.signs.Signs(r.SessionID, ev)
	return len(signs) == 0 || s.hasAnySign(r, s.signs.Call(&r.TwinCalls, ev, signs[0]))
}

// isElsewhere reports whether the first account of a run has the call. isOut is true if its span was exported.
func (s *accounting) isElsewhere(r *work.Run, ev *events.DisplayEvent, isOut bool) bool {
	return isOut || r.Standing == account.Twin && s.hasCall(r, ev)
}

// decideWords adds a text of a twin to its model call and decides on the record.
func (s *accounting) decideWords(a *work.Agent, what pending.Sighting) decision {
	own, _ := s.signs.Text(a.WordingOf(what.Event), a.Run.SessionID, what.Event)
	if s.hasAnySign(a.Run, own) {
		return recordDropped
	}
	if a.Chat.Is(what.Event) && a.Chat.Wording.Wait(what, s.registry.settings.Limits.PendingBytes) {
		return recordWaits
	}
	return recordExported
}
