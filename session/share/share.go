package share

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
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/session/runkey"
	"github.com/tailspan/tailspan/session/twin"
	"github.com/tailspan/tailspan/session/work"
)

// Settings describe the stream of a [Share]. S is the caller's handle of a stream.
type Settings[S comparable] struct {
	Accounts *account.Registry[S] // of all streams
	IDs      *exported.Table      // of all streams
	Program  *program.Program
	Seen     *exported.Seen
	Self     S
	Stream   string // the stable identity of the stream
	// WaitingBytes bounds the texts of a model call that wait for the other texts.
	WaitingBytes int
}

// Share is what one stream exports of the runs and sub-agents in it.
type Share[S comparable] struct {
	set    Settings[S]
	claims account.Claims
	signs  twin.Signer
}

// New returns the share of a stream.
func New[S comparable](set Settings[S]) Share[S] {
	a := set.Program.Agent
	return Share[S]{set: set, signs: twin.Signer{Seen: set.Seen, Provider: a.Provider, StreamIDs: a.StreamIDs, CallIDs: a.CallIDs}}
}

// Claims returns what the stream has the first account of, and what others have, for its state.
func (s *Share[S]) Claims() account.Claims { return s.claims.Clone() }

// TakeClaims returns what the stream has the first account of if that is more than at the last call. It returns nothing if all accounts
// have the same IDs: then it does not matter which one is the first.
func (s *Share[S]) TakeClaims() []uint64 {
	if !s.set.Program.Agent.StreamIDs {
		return nil
	}
	return s.claims.Take()
}

// Restore restores the claims of an earlier state.
func (s *Share[S]) Restore(c account.Claims) { s.claims = c.Clone() }

// LeavesHistory reports whether ev is the first original work of a session whose current run, or nil, so far is copied history.
func (s *Share[S]) LeavesHistory(r *work.Run, ev *events.DisplayEvent) bool {
	if !mayLeave(r, ev) {
		return false
	}
	key, ok := runkey.Item(s.set.Program, ev)
	return !ok || !s.set.IDs.Said(&key)
}

// mayLeave reports whether ev is work that the copied run may not have copied.
func mayLeave(r *work.Run, ev *events.DisplayEvent) bool {
	if r == nil || !r.IsCopy() || r.Closed || r.SubAgent || ev.Copied || !content.ModelWorks(ev) || ev.Kind == events.KindMessage {
		return false
	}
	return r.Standing != account.Copy || r.Account != nil && !r.Account.Recalled()
}

// NeedsOriginal reports whether the original of the copied run is still being read, so that ev may yet follow there.
func (s *Share[S]) NeedsOriginal(r *work.Run, ev *events.DisplayEvent) bool {
	return mayLeave(r, ev) && r.Standing == account.Copy && s.set.Accounts.IsReading(r.Account)
}

// AwaitOriginal makes the stream wait until the original of its copied run was read and reports whether it has to.
func (s *Share[S]) AwaitOriginal(r *work.Run) bool {
	return s.set.Accounts.AwaitReading(s.set.Self, r.Account)
}

// Await makes the stream wait for the end of an account and reports whether it has to.
func (s *Share[S]) Await(first *account.Account) bool { return s.set.Accounts.Await(s.set.Self, first) }

// Written returns the streams that waited for the account of a run if nothing of the run is open any more. busy is true if it has an
// active sub-agent.
func (s *Share[S]) Written(r *work.Run, busy bool) (woken []S) {
	if !r.Closed || r.IsJoined() || r.IsChild() || r.Calls.AnyOpen() || busy || !r.Ref.Write() || r.Account == nil {
		return nil
	}
	return s.set.Accounts.Over(r.Account)
}

// Owns reports whether this stream has the first account of a thing.
func (s *Share[S]) Owns(parts ...string) bool {
	_, mine := s.Claim(exported.StableHash(parts...))
	return mine
}

// Claim returns the first account of a thing and whether it is this stream's.
func (s *Share[S]) Claim(thing uint64) (first *account.Account, mine bool) {
	return s.set.Accounts.Claim(&s.claims, s.set.Stream, thing)
}

// AccountOf returns the hash of a run of a session, equal in each account of it.
func (s *Share[S]) AccountOf(session string, key *runkey.Key) uint64 {
	occurrence := s.set.Seen.Before(&s.set.Seen.Runs, key.String())
	return exported.StableHash("run", s.set.Program.Agent.Provider, session, key.String(), strconv.Itoa(occurrence))
}

// Classify classifies a run that is about to open and returns its first account, if any.
func (s *Share[S]) Classify(session string, key *runkey.Key, waiting pending.Events) (account.Standing, *account.Account) {
	if key.Marked {
		return account.Marked, nil
	}
	key.Account = s.AccountOf(session, key)
	return s.set.Accounts.Stand(&account.Opening{
		Stream: s.set.Stream, Claims: &s.claims, Run: key.Account, Copy: key.Copy,
		Signs: func() ([]uint64, bool) {
			return s.signs.Opening(session, waiting), s.set.Program.Recorded || waiting.Recorded()
		},
	})
}

// Opened records that the run of a first account is open.
func (s *Share[S]) Opened(r *work.Run) {
	s.set.Accounts.Opened(r.Account, r.Key, r.Resource, r.Ref)
}

// AgentAccount returns the hash of a task of a sub-agent, equal in each account of it.
func AgentAccount(key link.Key) uint64 {
	return exported.StableHash("agent", key.Provider, key.Session, key.Agent, strconv.Itoa(key.Task))
}

// ClaimAgent claims a sub-agent for this stream. It returns nil if another stream has its first account.
func (s *Share[S]) ClaimAgent(key link.Key, span otlp.SpanRef, inline bool) *account.Account {
	return s.set.Accounts.ClaimAgent(&s.claims, s.set.Stream, AgentAccount(key), link.RunID{Trace: span.Trace, Top: span.Span}, inline)
}

// FirstHasAgent reports whether the first account of a sub-agent is inline in an account of its run, under the same
// span. Another account of the run then exports what that one lacks, like everything else of the run: items whose IDs
// were not exported. A separate stream of the sub-agent is more complete.
func (s *Share[S]) FirstHasAgent(key link.Key, span otlp.SpanRef) bool {
	first := s.set.Accounts.Of(AgentAccount(key))
	return first != nil && first.Is(link.RunID{Trace: span.Trace, Top: span.Span})
}

// ClassifyAgent decides which account of a sub-agent its separate stream is.
func (s *Share[S]) ClassifyAgent(r *work.Run, key link.Key) {
	if r.Account = s.ClaimAgent(key, r.Top.Span(), false); r.Account != nil {
		return
	}
	r.Standing = account.Second
	if first := s.set.Accounts.Of(AgentAccount(key)); first != nil && first.Run() != nil {
		r.Standing, r.Account, r.Late, r.TraceID = account.Joined, first, first.Over(), first.Run().Trace
	}
}

// EndAgents ends the accounts of the run's finished sub-agents and returns the streams that waited for them. Only now is known whether
// the run's totals include their tokens.
func (s *Share[S]) EndAgents(r *work.Run) (woken []S) {
	for _, a := range r.OverAgents {
		woken = append(woken, s.End(a.Account, a.Time, r.Ref.HasTotals())...)
	}
	r.OverAgents = nil
	return woken
}

// End ends a first account of this stream and returns the streams that waited for it.
func (s *Share[S]) End(first *account.Account, over clock.Interval, totals bool) (woken []S) {
	ref := first.Run()
	ref.End(over, totals)
	ref.Write()
	return s.set.Accounts.Over(first)
}

// Join makes a run a further account of a run whose first account is in another stream. Its additional content goes into the trace of the
// first, below its run.
func (s *Share[S]) Join(r *work.Run) {
	ref := r.Account.Run()
	otherKind := s.set.Program.Agent.StreamIDs && s.set.Program.Recorded != ref.Recorded
	r.Standing = s.set.Accounts.Join(r.Account, s.set.Stream, r.Key, otherKind)
	r.Late = r.Account.Over()
	r.Ref, r.TraceID, r.IDScope, r.Top.SpanID = ref, ref.Trace, ref.Scope, ref.Top
}

// AwaitsOther reports whether the span of a run that closes now has to wait for another account of the run. A stream that is followed waits
// only if another account is being read too.
func (s *Share[S]) AwaitsOther(r *work.Run, followed bool) bool {
	if r.Standing != account.First || r.Account == nil || r.IsChild() || r.Top.Ledger.HasTotals() {
		return false
	}
	lacks := r.Ref.Team.Calls.Lacking() > 0 || s.set.Program.Agent.StreamIDs && !s.set.Program.Recorded && r.Shape.Message && r.Top.Ledger.LacksAll()
	return lacks && !followed || (lacks || r.Closing.Abandoned) && s.set.Accounts.Awaited(r.Account)
}
