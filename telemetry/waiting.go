package telemetry

import (
	"cmp"
	"slices"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/runkey"
	"github.com/tailspan/tailspan/session/share"
)

// waiting keeps events until their run is known, and then applies them.
type waiting struct {
	runs
	pending pending.Events
	awaited *awaited // nil before the first
	decide  bool     // the run is decided by what is known so far
}

// releaseMode selects which pending events are released.
type releaseMode uint8

const (
	releaseReady  releaseMode = iota // those that lack nothing
	releaseExcess                    // as many as exceed the limits: all, or of a second account the oldest, which are dropped
	releaseAll
)

// release applies the events that need not wait: their time and the key of their run are known.
//
// New events are exported, whatever released them, and so are events that were pending when the stream's state was
// saved. Without a saved state, an event of a replayed line counts as exported if a replayed line releases it.
func (s *waiting) release(mode releaseMode) {
	force := mode != releaseReady
	done, suppressed := 0, s.suppressed
	defer func() { s.suppressed = suppressed }()
	for done < len(s.pending) {
		if s.mayBeUnasked() {
			if n := s.pending[done:].UnaskedBeforeGap(s.settings.IdleGap); n > 0 {
				s.dropUnasked(s.pending[done : done+n])
				done += n
				continue
			}
		}
		h := &s.pending[done]
		if !h.At.Known() {
			if !force {
				break
			}
			h.At = s.clock.Fallback(s.registry.settings.Now)
		}
		s.suppressed = suppressed
		at := h.At
		at.Lived = at.Lived && done == 0 // the system clock decided nothing between events that were pending together
		s.closeOnIdleGap(&h.Event, at, h.Delivery != pending.New && (suppressed || s.replay.restored))
		s.suppressed = h.Delivery == pending.Done && (suppressed || s.replay.restored)
		if s.opens(&h.Event) && !s.tryOpenRun(s.pending[done:], force) {
			break
		}
		if mode == releaseAll && s.run != nil && s.run.IsJoined() {
			s.run.Late = true // it can wait no longer, and what the first account exports of it is deduplicated
		}
		if mode != releaseAll && s.run.WaitsForFirst() && (mode == releaseReady || s.pending.LeaveRoom(s.registry.settings.Limits.pending(), done)) {
			break
		}
		s.apply(&h.Event, h.At, h.Origin)
		done++
	}
	s.pending = slices.Delete(s.pending, 0, done)
}

// tryOpenRun opens the run that begins with waiting. It returns false while the run cannot be identified yet.
func (s *waiting) tryOpenRun(waiting pending.Events, force bool) bool {
	if !force && s.registry.unsent.await(s.self) {
		return false
	}
	defer s.registry.accounts.Open()()
	if key := s.family.ChildOf(s.run, waiting); !key.IsZero() {
		if s.openTask(key, waiting, force) {
			return true
		}
		if !force {
			return false
		}
		// The parent was not found: the run gets its own trace and is marked.
		own, _ := runkey.Of(&s.program, waiting, s.past.runs, true)
		first, mine := s.share.Claim(s.share.AccountOf(s.program.IDSession(waiting.Session()), &own))
		if !mine {
			own.ID += "/" + key.Agent // another stream has a run of that name, which is not this one
		}
		s.openRun(&own, waiting)
		s.run.Orphan, s.run.SubAgent = key.Agent, true
		s.run.Standing = account.First
		if s.run.Account == nil && mine {
			s.run.Account = first
			s.share.Opened(s.run)
		}
		if !s.share.Owns("agent", key.Provider, key.Session, key.Agent) {
			s.run.Standing = account.Orphan // another stream exports its work, also without its call
		}
		s.joinPipeline(s.run)
		// The top agent has the persona.
		s.run.Top.ID, s.run.Top.Name = key.Agent, cmp.Or(s.program.AgentName, s.program.Agent.ServiceName)
		return true
	}
	if !force && s.awaited.contains(waiting[0].Origin) {
		return false
	}
	part, over := waiting.BeforeGap(s.settings.IdleGap)
	key, ok := runkey.Of(&s.program, part, s.past.runs, force || over)
	if !ok || !force && s.waits(&key, part) {
		return false
	}
	s.openRun(&key, part)
	s.stepStarted(s.run, part)
	return true
}

// timeOf returns the time of an event, or unknown if no line so far has one.
func (s *waiting) timeOf(ev *events.DisplayEvent) clock.Moment {
	at, before := s.clock.Of(ev.Time)
	if before.Open {
		s.restamp(before.Pending)
	}
	if before.Pending.Known() {
		s.pending.Date(before.Pending)
	}
	return at
}

// dropUnasked counts events that are no run, and keeps what they contain about the program.
func (s *waiting) dropUnasked(waiting pending.Events) {
	s.program.NoteStart(waiting)
	s.count().EmptySessions++
}

// mayBeUnasked reports whether no run is open that pending events belong to.
func (s *waiting) mayBeUnasked() bool { return s.run == nil || s.run.Closed }

// closeOnIdleGap closes what was abandoned before the time at. silentLine is true if the event's line is replayed: the
// resulting output was exported with that line and is not exported again, unless what precedes it is still pending.
func (s *waiting) closeOnIdleGap(ev *events.DisplayEvent, at clock.Moment, silentLine bool) {
	at = s.place(at)
	if !s.clock.GapBefore(at, s.gapBound()) || s.family.AwaitsAgents(s.run) && !s.opens(ev) && !content.ByProgram(ev) {
		return
	}
	suppressed := s.suppressed
	s.suppressed = silentLine && (s.replay.lastReplayed || !s.replay.restored)
	s.closeGap()
	s.suppressed = suppressed
	s.clock.Jump(at)
}

// awaited is the account whose end the stream's pending events last waited for.
type awaited struct {
	account *account.Account
	run     bool           // a run waits, not the work of a sub-agent
	from    pending.Origin // the first event of that run
}

// contains reports whether the run that begins at from is still waiting. Later events do not change that, so they need
// not be checked one by one.
func (a *awaited) contains(from pending.Origin) bool {
	return a != nil && a.run && a.from == from && !a.account.Over()
}

// waits reports whether the run that begins with waiting has to wait for the end of its first account.
func (s *waiting) waits(key *runkey.Key, waiting pending.Events) bool {
	standing, first := s.share.Classify(s.program.IDSession(waiting.Session()), key, waiting)
	if standing != account.Second || first == nil || !s.await(first) {
		return false
	}
	s.awaited.run, s.awaited.from = true, waiting[0].Origin
	return true
}

// await makes the stream wait for the end of an account and reports whether it has to.
func (s *waiting) await(first *account.Account) bool {
	if !s.share.Await(first) {
		return false
	}
	s.awaited = &awaited{account: first}
	return true
}

// awaitsAccount reports whether the pending events of the stream wait for the end of a first account, or until it is known.
func (s *waiting) awaitsAccount() bool {
	return len(s.pending) > 0 && (s.awaited != nil && !s.awaited.account.Over() || s.registry.unsent.blocks(s.self))
}

// waitsForAgent reports whether a sub-agent's stream has to wait for the end of the first account of it.
func (s *waiting) waitsForAgent(key link.Key) bool {
	first, mine := s.share.Claim(share.AgentAccount(key))
	return !mine && first != nil && s.await(first)
}

// waitsForRun reports whether a sub-agent's stream has to wait for the end of its run. If the run's first account is a
// stream on standard output, its totals include the tokens of sub-agents, and only its end shows whether it has totals.
func (s *waiting) waitsForRun(ref *link.Run) bool {
	if !s.program.Agent.TotalsOfAgents || ref.Recorded || ref.Account == 0 {
		return false
	}
	first := s.registry.accounts.Of(ref.Account)
	return first != nil && s.await(first.First())
}

// opens reports whether ev begins a new run.
func (s *waiting) opens(ev *events.DisplayEvent) bool {
	return s.run.Opens(ev) || s.share.LeavesHistory(s.run, ev)
}
