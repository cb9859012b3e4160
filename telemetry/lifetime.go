package telemetry

import (
	"cmp"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/replay"
	"github.com/tailspan/tailspan/session/work"
)

// lifetime closes what is open when its time has come: at the end of a turn or of an old file, after a silence, and at the end of
// the stream.
type lifetime struct{ waiting }

// agentsMoved is Moved. Streams that are idle at the same time end from the leaves up: a sub-agent, one with sub-agents, the run.
func (s *lifetime) agentsMoved() time.Time {
	r, wait := s.run, s.registry.settings.linkWait()
	switch {
	case s.awaitsAccount():
		return s.registry.settings.Now().Add(wait - max(s.settings.IdleGap, wait)) // looked at again after wait
	case r == nil || r.Closed || r.Ref == nil:
		return time.Time{}
	case !r.IsChild():
		return r.Ref.Moved().Add(wait)
	case s.registry.links.Use(s.program.Agent.Provider, r.Ref, r.ChildKey.Member(), 0).Members > 0:
		return r.Ref.Moved().Add(wait / 2)
	default:
		return time.Time{}
	}
}

func (s *lifetime) close(reason otlp.CloseReason) {
	if s.mayBeUnasked() && s.pending.IsUnasked() {
		s.dropUnasked(s.pending)
		s.pending = nil
	}
	s.release(releaseAll)
	s.closeOpen(reason)
	s.reportDue(s.run)
}

// closeAtEnd closes everything open at the end of a stream. The files of its sub-agents may not have been read yet.
func (s *lifetime) closeAtEnd(reason otlp.CloseReason) {
	announced := s.family.Announced()
	s.close(reason)
	s.family.SetAnnounced(announced)
}

// leavesOpen reports whether anything of the stream is not closed or not written.
func (s *lifetime) leavesOpen() bool {
	switch {
	case len(s.pending) > 0:
		return true
	case s.run == nil:
		return false
	default:
		return !s.run.Closed || len(s.open.Active()) > 0 || s.open.HasLingering() || s.process.unwritten != nil
	}
}

// closeOld closes what an old file left open. A sub-agent's file is closed by its parent, as long as that may come.
func (s *lifetime) closeOld() {
	if !s.isOld(s.settings.IdleGap) || s.awaitsAccount() || !s.family.Child().IsZero() {
		return
	}
	if !s.leavesOpen() {
		return
	}
	if s.release(releaseReady); s.family.ChildOf(s.run, s.pending) != (link.Key{}) {
		return
	}
	if s.family.AwaitsAgents(s.run) {
		s.registry.startTimer(waitAgents, s.self)
		return
	}
	s.recordStep(replay.Old, s.sink)
	s.closeAtEnd(otlp.CloseReasonTimeout)
}

// lastReason returns the reason to close for at the end of the stream: an old file is abandoned, and only waited for sub-agents.
func (s *lifetime) lastReason(reason otlp.CloseReason) otlp.CloseReason {
	if s.isOld(s.settings.IdleGap) && !s.awaitsAccount() && s.family.Child().IsZero() {
		return otlp.CloseReasonTimeout
	}
	return reason
}

// deferClose reports whether the end of the stream has to wait, and records it.
func (s *lifetime) deferClose(reason otlp.CloseReason) bool {
	if reason != otlp.CloseReasonShutdown || !s.awaitsAccount() {
		return false
	}
	r := s.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deferred = append(r.deferred, deferredClose{s.self, reason})
	return true
}

// isComplete reports whether nothing follows what a file shows as over.
func (s *lifetime) isComplete() bool {
	gap := s.settings.IdleGap
	if s.registry.settings.Eager {
		gap = s.registry.settings.EndGrace
	}
	return s.isOld(gap)
}

// A transcript has no line for the end of a run. The run is over when its last event shows the end of the turn
// ([events.Sign]), nothing below it is active, and no line follows for [Settings.EndGrace]: by the system clock while
// the stream is followed, else by the times of its lines. A file whose last change is older than
// [StreamSettings.IdleGap] ends at its last line. If more lines of the same prompt follow after all, they form another
// run with a link to the first.

// awaitEnd starts the timer for the end of a run that has shown it, or stops the timer if the run continues.
func (s *lifetime) awaitEnd() {
	if s.replay.Active {
		return
	}
	if s.registry.settings.Eager && s.idle && s.isComplete() {
		s.endTurn()
	}
	if len(s.pending) == 0 && s.run.ShowsEnd() {
		s.registry.startTimer(waitEnd, s.self)
	} else {
		s.registry.timers.Stop(waitEnd, s.self)
	}
}

// endTurn closes the run that has shown its end, after enough time without a line, unless something below it is active.
func (s *lifetime) endTurn() {
	if s.replay.Active || len(s.pending) > 0 || !s.turnOver() {
		return
	}
	s.recordRunStep(s.run.Key, replay.Turn, s.sink)
	s.closeRun(s.run, otlp.CloseReasonTimeout)
}

// reportLinked reports the usage of the sub-agent that works in this stream, once the stream shows the end of its work.
func (s *lifetime) reportLinked() {
	r := s.run
	if r == nil || !r.IsChild() {
		return
	}
	if r.Closed {
		if s.idle {
			s.reportDue(r)
		}
		return
	}
	over := s.endsByItself(r)
	if over || r.Closing.Report == work.Reported {
		if r.Closing.Report = work.Unreported; over {
			r.Closing.Report = work.Reported
		}
		s.family.Enter(r, over)
	}
}

// endsByItself reports whether the stream of a sub-agent shows the end of its work and is complete.
func (s *lifetime) endsByItself(r *work.Run) bool {
	return s.idle && len(s.pending) == 0 && (r.ShowsEnd() || r.End.Line != nil && !r.Calls.AnyOpen())
}

// expire closes the run of a sub-agent that has been quiet since before, even if its call is unknown or it has open
// calls: its parent is over, so nothing more follows, unless it works in the background and shows no end. The same holds for an old
// file that was read to its end.
//
// A stream that waits for its run, or for the call that started its next task, gets the best match so far.
func (s *lifetime) expire(before time.Time) {
	if s.moved.After(before) {
		return
	}
	last := s.isOld(s.settings.IdleGap) && s.idle && s.registry.backlog.Before(before)
	if len(s.pending) > 0 && s.expireHeld(last) || s.run == nil || s.run.Closed || s.run.ChildKey.IsZero() {
		return
	}
	k, why := s.family.Known(s.run), otlp.CloseReasonResult
	switch over := s.registry.links.Lookup(s.run.ChildKey).Ended || s.run.Ref.Span() != nil && (!k.Background || s.run.ShowsEnd()); {
	case !over && !last:
		return
	case !over:
		why = otlp.CloseReasonTimeout
	}
	s.recordStep(replay.End, s.sink)
	s.closeRun(s.run, cmp.Or(k.End.Reason, why))
}

// expireHeld releases the pending events of a sub-agent's stream if it must decide now, which last forces. It reports
// whether it did.
func (s *lifetime) expireHeld(last bool) bool {
	if s.run != nil && (s.run.ChildKey.IsZero() || s.run.Ref.Span() == nil) && !last {
		return false
	}
	s.decide = true
	s.release(releaseReady)
	s.decide = false
	if len(s.pending) > 0 && last && !s.awaitsAccount() {
		s.recordStep(replay.Old, s.sink)
		s.closeAtEnd(otlp.CloseReasonTimeout)
	}
	return true
}

// expireOld closes what an old file left open, unless a sub-agent's file that was read meanwhile shows that it is at work.
func (s *lifetime) expireOld(now time.Time) {
	if !s.isOld(s.settings.IdleGap) || !s.idle || s.run.Closed {
		s.registry.timers.Stop(waitAgents, s.self)
		return
	}
	if !s.registry.backlog.Before(now.Add(-s.registry.settings.linkWait())) || now.Sub(s.agentsMoved()) < s.settings.IdleGap {
		return
	}
	s.registry.timers.Stop(waitAgents, s.self)
	s.recordStep(replay.Old, s.sink)
	s.closeAtEnd(otlp.CloseReasonTimeout)
}

// settle closes the run of a sub-agent in a separate stream if its call is over and its stream is complete. Files are
// read concurrently, so the result of the call may be read before the sub-agent's last lines. A stream that shows no
// end waits for them ([lifetime.expire]), unless the file is old.
func (s *lifetime) settle() {
	r := s.run
	if r == nil || r.Closed || r.ChildKey.IsZero() || !s.idle || r.Calls.AnyOpen() {
		return
	}
	if !s.endsByItself(r) && !s.isComplete() {
		return
	}
	if k := s.registry.links.Lookup(r.ChildKey); k.Ended {
		s.emit.Suppressed = false // had it been closed before a restart, it would be closed
		s.recordStep(replay.End, s.sink)
		s.closeRun(r, k.End.Reason)
	}
}

// The open run is watched or, before it, the prompt that waits for what identifies its run: in most formats the first answer of the model.
// A live run has one record at its start, with its model and agent, and one per ProgressInterval with the elapsed time. What has no line
// for StallAfter is reported once as stalled: the timer stops until the next line. A session that is read later has no such records.

// watched is what the timer for progress and stalls runs for.
type watched struct {
	run   *work.Run // nil if a prompt waits for its run
	begun clock.Instant
	moved time.Time // when its last line was written, or the last one of its sub-agents
}

// watched returns what is watched. ok is false if nothing is.
func (s *lifetime) watched() (w watched, ok bool) {
	written := s.lineWritten()
	moved := written
	if s.blank.at.After(moved) {
		moved = s.blank.at
	}
	if asked := s.unanswered(); asked != nil {
		last := &s.pending[len(s.pending)-1]
		// The agent may have another clock, or the lines are a recording that is played back.
		return watched{nil, clock.InstantOf(written).Add(-max(last.At.At.Sub(asked.At.At), 0)), moved}, true
	}
	if !s.reportsRun() {
		return w, false
	}
	if ref := s.run.Ref; ref != nil && ref.Moved().After(moved) { // its sub-agents in other streams are at work
		moved = ref.Moved()
	}
	return watched{s.run, s.run.Begin.Clock, moved}, true
}

// watch starts the timer for what is watched, unless it runs. A silence that was too long before anybody followed it is not reported.
func (s *lifetime) watch(now time.Time) {
	if s.registry.timers.Runs(waitProgress, s.self) {
		return
	}
	after := s.registry.settings.StallAfter
	if w, ok := s.watched(); ok && (now.Sub(w.moved) < after || after <= 0 && s.live) {
		s.registry.startTimer(waitProgress, s.self)
	}
}

// reportProgress writes the elapsed time of the live run, or that what is watched has stalled, and reports which. The records of a run
// are numbered by the intervals since its start, so that none has the number of one exported before a restart.
func (s *lifetime) reportProgress(into *batch, now time.Time) (stalled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, ok := s.watched()
	if !ok {
		s.registry.timers.Stop(waitProgress, s.self)
		return false
	}
	elapsed, silent := max(clock.InstantOf(now).Sub(w.begun), 0), now.Sub(w.moved)
	if after := s.registry.settings.StallAfter; after > 0 && silent >= after {
		s.registry.timers.Stop(waitProgress, s.self)
		if s.awaitsUser(w.run) {
			return false
		}
		resource, record := s.stallOf(w.run)
		into.AddStalled(resource, record, elapsed, silent)
		return true
	}
	if interval := s.registry.settings.ProgressInterval; interval > 0 && s.live && w.run != nil {
		left := max(s.settings.ExpectedDuration-elapsed, 0)
		record := w.run.LiveRecord(s.registry.settings.Now(), otlp.EventNameProgress, int(elapsed/interval))
		into.AddProgress(w.run.Resource, record, elapsed, left)
	}
	return false
}

// awaitsUser reports whether a silence of an open run is the user's: the run has shown its end, or its last text may be the last one,
// and nothing below it is active. A sub-agent in the background may have stalled.
func (s *lifetime) awaitsUser(r *work.Run) bool {
	if r == nil || r.Calls.AnyOpen() || s.open.IsBusy(r) || s.family.AnyElsewhere() {
		return false
	}
	return r.ShowsEnd() || r.Signs.Last() == events.Sign{Outcome: events.OutcomeOK, Weak: true}
}

// stallOf returns the record of a stall of a run or, if r is nil, of a prompt, which has no span yet.
func (s *lifetime) stallOf(r *work.Run) (*otlp.Resource, *otlp.Record) {
	now, number := s.registry.settings.Now(), int(max(s.replay.Offset(), s.blank.offset))
	if r != nil {
		return r.Resource, r.LiveRecord(now, otlp.EventNameStalled, number)
	}
	session, resource := s.pending.Session(), s.program.Resource
	uid := otlp.RecordUID(number, otlp.EventNameStalled, s.program.Agent.Provider, s.program.IDSession(session))
	record := work.LiveRecord(now, otlp.SpanRef{}, uid)
	record.Conversation, record.Agent = session, resource.AgentName()
	return resource, record
}
