package telemetry

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/replay"
	"github.com/tailspan/tailspan/session/runkey"
	"github.com/tailspan/tailspan/session/share"
	"github.com/tailspan/tailspan/session/work"
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
	done, suppressed := 0, s.emit.Suppressed
	defer func() { s.emit.Suppressed = suppressed }()
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
		s.emit.Suppressed = suppressed
		at := h.At
		at.Lived = at.Lived && done == 0 // the system clock decided nothing between events that were pending together
		s.closeOnIdleGap(&h.Event, at, h.Delivery != pending.New && (suppressed || s.replay.Restored()))
		s.emit.Suppressed = h.Delivery == pending.Done && (suppressed || s.replay.Restored())
		if s.opens(&h.Event) {
			if !force && s.needsOriginal(&h.Event) && s.share.AwaitOriginal(s.run) {
				break
			}
			if s.opens(&h.Event) && !s.tryOpenRun(s.pending[done:], force) { // the original may have been read meanwhile
				break
			}
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
	if !force && s.registry.unsent.Await(s.settings.ID, s.self) {
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
	s.emit.Count().EmptySessions++
}

// mayBeUnasked reports whether no run is open that pending events belong to.
func (s *waiting) mayBeUnasked() bool { return s.run == nil || s.run.Closed }

// closeOnIdleGap closes what was abandoned before the time at. silentLine is true if the event's line is replayed: the
// resulting output was exported with that line and is not exported again, unless what precedes it is still pending.
func (s *waiting) closeOnIdleGap(ev *events.DisplayEvent, at clock.Moment, silentLine bool) {
	at = s.run.PlaceAt(at)
	if !s.clock.GapBefore(at, s.gapBound()) || s.family.AwaitsAgents(s.run) && !s.opens(ev) && !content.ByProgram(ev) {
		return
	}
	suppressed := s.emit.Suppressed
	s.emit.Suppressed = silentLine && (s.replay.LastReplayed || !s.replay.Restored())
	s.closeGap()
	s.emit.Suppressed = suppressed
	s.clock.Jump(at)
}

// awaited is the account whose end the stream's pending events last waited for.
type awaited struct {
	account *account.Account
	from    pending.Origin // the first event of the run that waits; of no line if the work of a sub-agent waits
}

// contains reports whether the run that begins at from is still waiting. Later events do not change that, so they need
// not be checked one by one.
func (a *awaited) contains(from pending.Origin) bool {
	return a != nil && a.from == from && !a.account.Over()
}

// waits reports whether the run that begins with waiting has to wait for the end of its first account.
func (s *waiting) waits(key *runkey.Key, waiting pending.Events) bool {
	standing, first := s.share.Classify(s.program.IDSession(waiting.Session()), key, waiting)
	if standing != account.Second || first == nil || !s.await(first) {
		return false
	}
	s.awaited.from = waiting[0].Origin
	return true
}

// await makes the stream wait for the end of an account and reports whether it has to.
func (s *waiting) await(first *account.Account) bool {
	if !s.share.Await(first) {
		return false
	}
	s.awaited = &awaited{first, pending.Origin{Offset: -1}}
	return true
}

// awaitsAccount reports whether the pending events of the stream wait for the end of a first account, until it is known, or until it was
// read.
func (s *waiting) awaitsAccount() bool {
	return len(s.pending) > 0 &&
		(s.awaited != nil && !s.awaited.account.Over() || s.registry.unsent.Blocks(s.settings.ID) || s.needsOriginal(&s.pending[0].Event))
}

// needsOriginal reports whether it is unknown whether ev continues the copied history of the stream. Files are read concurrently, so a fork
// may be read faster than its original.
func (s *waiting) needsOriginal(ev *events.DisplayEvent) bool {
	return !s.run.Opens(ev) && s.share.NeedsOriginal(s.run, ev)
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

// isSubAgent reports whether a sub-agent works in the stream, as far as its lines and its folder show.
func (s *waiting) isSubAgent() bool {
	return s.run.IsChild() || s.family.HasFolder() || !s.family.ChildOf(s.run, s.pending).IsZero()
}

// unanswered returns the event that asked the model for the answer that pending events wait for, because it identifies their run; nil
// if they wait for something else.
func (s *waiting) unanswered() *pending.Event {
	if len(s.pending) == 0 || !s.opens(&s.pending[0].Event) || s.isSubAgent() || s.awaitsAccount() {
		return nil
	}
	return s.pending.Asked()
}

// opens reports whether ev begins a new run.
func (s *waiting) opens(ev *events.DisplayEvent) bool {
	return s.run.Opens(ev) || s.share.LeavesHistory(s.run, ev)
}

// apply applies one event at its time.
func (s *waiting) apply(ev *events.DisplayEvent, at clock.Moment, o pending.Origin) {
	if s.run == nil {
		// Only events that open a run arrive here without one, and they went through openRun.
		return
	}
	written := at
	at = s.open.Fit(s.run, ev, at)
	s.passed(s.run.PlaceAt(written))
	a := s.agentOf(ev, at)
	a.Run.BeginsAt(ev, at, s.registry.settings.EndGrace)
	s.countLate(a, ev)
	aside := s.run.IsAside(a, ev)
	a.Run.Signs.Note(ev)
	s.failedCall(a, ev, at)
	s.family.AnnounceTurn(a.Run, ev.TurnID)
	if ev.SessionID == "" {
		ev.SessionID = a.Run.SessionID
	}
	if !aside {
		a.Cover(&at, &at)
	}
	if !a.Closed && !a.Thread.Models.Add(ev.Model, s.registry.settings.Limits.Models) {
		s.emit.Count().UnlistedModels++
	}
	if a.Call == nil && ev.MessageID != "" && ev.MessageID != a.Run.LastMessage && !(a.Closed && ev.Kind == events.KindPrompt) {
		a.Run.LastMessage = strings.Clone(ev.MessageID)
	}
	of, late := s.applyKind(a, ev, at, o)
	s.reportCall(a, ev, at)
	s.converse(a, ev)
	if s.endsLater(a, ev, at, o) {
		s.finishRun(a, ev)
		return
	}
	s.attachTotals(a, ev, at)
	if s.record(a, of, pending.Sighting{Event: ev, At: at, From: o}) {
		switch ev.Kind {
		case events.KindUsage:
			s.countUsage(a, ev, at, late)
		case events.KindNotice:
			s.emit.Notice(a, ev)
		}
	}
	s.finishKind(a, of, ev, at)
}

// applyKind applies what is particular to the kind of an event, before its record is written. It returns the call that the record
// belongs to, and usage that no span will have.
func (s *waiting) applyKind(a *work.Agent, ev *events.DisplayEvent, at clock.Moment, o pending.Origin) (of *work.Call, late *events.Usage) {
	switch ev.Kind {
	case events.KindSessionStarted:
		a.Run.Shape.Start = a.Run.Shape.Start || ev.Session == nil || !ev.Session.Recorded
		s.begins(a, ev, at)
	case events.KindTurnStarted:
		a.Run.Shape.Turns = true
		s.begins(a, ev, at)
	case events.KindPrompt:
		a.Thread.LastInput = at
		s.begins(a, ev, at)
	case events.KindNotice:
		a.Thread.Compacted = a.Thread.Compacted || ev.Notice.Code == events.NoticeCompaction
	case events.KindText, events.KindReasoning, events.KindMessage:
		s.modelWorks(a, ev, at)
	case events.KindToolUse:
		s.modelWorks(a, ev, at)
		of = s.startCall(a, ev, at, o)
	case events.KindToolResult:
		of = s.resultOf(ev, at)
		a.Thread.LastInput = at
	case events.KindToolProgress:
		of = s.progressOf(ev)
	case events.KindApprovalRequest:
		s.noteApproval(ev)
	case events.KindUsage:
		if ev.Usage != nil && ev.Usage.Scope == events.UsageScopeCall {
			s.modelWorks(a, ev, at) // it may precede the first block of its message or be its only event
		}
		late = s.useTokens(a, ev, at)
	}
	return of, late
}

// finishKind ends the call or the run that an event ends, after its record was written.
func (s *waiting) finishKind(a *work.Agent, of *work.Call, ev *events.DisplayEvent, at clock.Moment) {
	switch ev.Kind {
	case events.KindToolUse:
		if early, ok := of.Caller.Run.Calls.TakeEarly(of.ID); ok {
			s.finishCall(of, &early.Tool, early.At, early.Abridged)
		}
	case events.KindToolResult:
		s.finishCall(of, &ev.Tool, at, ev.Abridged)
	case events.KindToolProgress:
		s.finishBackground(of, ev)
	case events.KindTurnDone, events.KindTurnAborted, events.KindSessionEnded:
		s.finishRun(a, ev)
	}
}

// A sub-agent that is called again continues its stream. Each call starts a task: a run of the stream with its own
// span, whose parent is that call. The n-th task of the stream belongs to the n-th call to the agent ([link.Key]).
//
//	task   begins with                                           ends with
//	first  the first line of the stream                          its call, or the notice that the work is over
//	next   a turn after one that ended, or a prompt after the    the same
//	       agent's sign of the end; once the previous task ended

// openTask opens the run of the task that begins with waiting. It returns false while its parent is unknown or the
// previous task has not ended; force overrides both.
func (s *waiting) openTask(key link.Key, waiting pending.Events, force bool) bool {
	before := s.run
	if key.Task = s.seen.Before(&s.seen.Agents, key.Agent); before == nil || key.Task == 0 || before.ChildKey.IsZero() {
		before = nil
	}
	s.family.NoteTask(waiting)
	ref := s.family.Await(key, waiting)
	if before != nil && !before.Closed {
		k := s.registry.links.Lookup(before.ChildKey)
		if !k.Ended && !force && !s.decide {
			return false
		}
		if !s.emit.Suppressed { // otherwise it was done before a restart
			s.recordRunStep(strconv.Itoa(before.ChildKey.Task), replay.Task, s.sink)
		}
		s.closeRun(before, cmp.Or(k.End.Reason, otlp.CloseReasonResult))
	}
	if ref == nil {
		if ref = s.family.FolderRun(force || s.decide || s.live && s.registry.settings.Eager); ref == nil && s.family.HasFolder() {
			s.registry.startTimer(waitParent, s.self)
		}
	}
	if ref == nil && before != nil && (force || s.decide) {
		ref = before.Ref // the call that started the task is unknown
	}
	if ref == nil {
		s.registry.startTimer(waitParent, s.self)
		return false
	}
	if !force && (s.waitsForRun(ref) || s.waitsForAgent(key)) {
		return false
	}
	s.openRun(&runkey.Key{ID: ref.Key}, waiting)
	s.adopt(key, ref)
	return true
}
