package telemetry

import (
	"iter"
	"slices"
	"time"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
)

// The span of a run, or of a sub-agent in a separate stream, carries the total usage including its sub-agents (package
// team). So it waits for those that are active, and so does the record of the run's end:
//
//	closed → written   none of them is active; the last line of its stream was read linkWait ago; the stream is closed
//	                   for good; the registry is closed
//
// The total then excludes sub-agents that are still active and is marked ([otlp.AttrUsageIncomplete]). A span that was
// not written or not acknowledged is in the state of its stream ([StreamState.Unwritten]): replaying its lines closes
// its run again, and the span continues to wait.

// settleTime is the allowed delay between the stream of a run and that of a sub-agent, which closes after
// [Settings.ParentWait] without a line.
const settleTime = time.Second

// backlogShare limits how many times longer a span waits while existing files are being read.
const backlogShare = 6

// linkWait is how long a span waits for sub-agents in other streams.
func (s *Settings) linkWait() time.Duration {
	return max(s.EndGrace, s.ParentWait) + settleTime
}

// spanWait is a closed run whose span is waiting.
type spanWait struct {
	run   *run
	why   otlp.CloseReason
	since time.Time // when the last line of the stream was read
	live  bool      // that line was written while the stream was followed
	// suppressed is set if a replayed line closed the run and no state shows whether its span was exported. It counts
	// as exported if a replayed line made it ready.
	suppressed bool
	// looked is the number of changes of its sub-agents at the last check, plus one; 0 before the first check.
	looked uint32
}

// spanWaits are the waiting spans of a stream.
type spanWaits struct {
	list []*spanWait // oldest first
	// unwritten are those that an earlier process did not write.
	unwritten []otlp.SpanID
	// sent are those that were written and possibly not acknowledged yet.
	sent []*sentSpan
}

// runs iterates over the runs whose spans were not accepted.
func (w *spanWaits) runs() iter.Seq[*run] {
	return func(yield func(*run) bool) {
		if w == nil {
			return
		}
		for _, one := range w.list {
			if !yield(one.run) {
				return
			}
		}
		for _, one := range w.sent {
			if one.unaccepted && !yield(one.run) {
				return
			}
		}
	}
}

// sentSpan is the span of a run that was exported.
type sentSpan struct {
	stepTaken
	run *run
}

// isUnwritten reports whether a replayed run was closed by an earlier process that did not write its span.
func (s *Stream) isUnwritten(r *run) bool {
	return s.suppressed && s.spans != nil && slices.Contains(s.spans.unwritten, r.top.spanID)
}

// Moved returns when sub-agents in other streams last worked for the open run, plus the time in which their own ends follow; while
// the stream waits for the first account of a run, a time for which it is not idle yet; else a time long ago. Until then the stream is not idle, although it is silent.
func (s *Stream) Moved() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.agentsMoved()
}

// agentsMoved is Moved. Streams that are idle at the same time end from the leaves up: a sub-agent, one with sub-agents, the run.
func (s *Stream) agentsMoved() time.Time {
	r, wait := s.run, s.registry.settings.linkWait()
	switch {
	case s.awaitsAccount():
		return s.registry.settings.Now().Add(wait - max(s.settings.IdleGap, wait)) // looked at again after wait
	case r == nil || r.closed || r.ref == nil:
		return time.Time{}
	case !r.isChild():
		return r.ref.Moved().Add(wait)
	case s.registry.links.Use(s.settings.Agent.Provider, r.ref, r.childKey.Member(), 0).Members > 0:
		return r.ref.Moved().Add(wait / 2)
	default:
		return time.Time{}
	}
}

// waitsForLinked reports whether the span of a run that closes now has to wait for sub-agents in other streams.
func (s *Stream) waitsForLinked(r *run) bool {
	switch {
	case !r.exports() || r.isJoined() || s.sumsUpAgents(r):
		return false
	case s.suppressed && s.replay.restored:
		return s.isUnwritten(r)
	default:
		return s.lacksLinked(r)
	}
}

// lacksLinked reports whether sub-agents of a closed run are, or may be, active. For a stream on standard output it is
// unknown whether the files of its sub-agents are read at all, so it waits only for those whose files were seen.
func (s *Stream) lacksLinked(r *run) bool {
	u := s.registry.links.Use(s.settings.Agent.Provider, r.ref, r.childKey.Member(), 0)
	return u.AtWork || r.lacksOther() || (s.recorded || r.isChild()) && (u.Unseen || u.Groups || u.Unasked < r.unnamedAgents())
}

// unnamedAgents returns the number of calls that are open, or were when the run closed, whose sub-agents have no ID. These work in
// other streams, if at all.
func (r *run) unnamedAgents() int {
	n := 0
	for _, c := range r.calls.open {
		if c.startsAgent() && c.AgentID == "" {
			n++
		}
	}
	return max(n, r.end.agents)
}

// sumsUpAgents reports whether the run's own totals include the tokens of its sub-agents.
func (s *Stream) sumsUpAgents(r *run) bool {
	return !r.isChild() && s.settings.Agent.TotalsOfAgents && r.top.ledger.HasTotals()
}

// takeLinked updates the ledger of a run with the usage of sub-agents in other streams.
func (s *Stream) takeLinked(r *run) {
	if s.sumsUpAgents(r) || r.isJoined() || r.ref == nil {
		return
	}
	var until clock.Instant
	if end := r.top.span.End; !r.closing.abandoned && (end.FromLine() || end.Source == clock.SourceCarried) {
		until = end.At.Add(s.registry.settings.linkWait())
	}
	u := s.registry.links.Use(s.settings.Agent.Provider, r.ref, r.childKey.Member(), until)
	r.top.ledger.Linked = u.Used
	r.top.ledger.Incomplete = u.Incomplete || s.recorded && u.Unasked < r.unnamedAgents()
	r.takeCalls(false)
}

// reportLinked reports the usage of the sub-agent that works in this stream, once the stream shows the end of its work.
func (s *Stream) reportLinked() {
	r := s.run
	if r == nil || r.closed || !r.isChild() {
		return
	}
	over := s.endsByItself(r)
	if over || r.closing.reported {
		r.closing.reported = over
		s.enterLinked(r, over)
	}
}

// endsByItself reports whether the stream of a sub-agent shows the end of its work and is complete.
func (s *Stream) endsByItself(r *run) bool {
	return s.idle && len(s.pending) == 0 && (r.showsEnd() || r.end.line != nil && len(r.calls.open) == 0)
}

// enterLinked reports the usage of a sub-agent to the team of its run.
func (s *Stream) enterLinked(r *run, over bool) {
	var end clock.Instant
	if last := r.top.span.End; last.FromLine() || last.Source == clock.SourceCarried {
		end = last.At
	}
	if s.settings.ParentSession != "" && over {
		if k := s.linkNow(r); k.Call != nil {
			r.ref.Team.Spawned(r.childKey.Member(), spawnKey(k.Call))
		}
	}
	if !over {
		r.ref.Team.GoesOn(r.childKey.Member())
	} else {
		s.followUp.notify(s.registry.links.Over(r.ref, r.childKey, end, r.top.ledger.OwnExported()))
	}
}

// worksInline records that a sub-agent works in the run's stream, or that it has ended.
func (s *Stream) worksInline(a *agent, over bool) {
	if c := a.call; c.AgentID != "" && a.role != roleDuplicate && !a.run.isJoined() {
		a.run.ref.Team.Inline(s.keyOf(c).Member(), over)
	}
}

// writeClosed writes the span of a closed run or makes it wait.
func (s *Stream) writeClosed(r *run, why otlp.CloseReason) {
	if r.closing.late == nil && !s.waitsForLinked(r) && (s.suppressed || !r.exports() || r.isJoined() || r.ref.Team.Empty()) {
		s.writeRunSpan(r, why)
		if child := r.isChild(); child || !r.isJoined() {
			s.registry.links.ReleaseTeam(s, r.ref, !child)
		}
		return
	}
	w := &spanWait{run: r, why: why, since: s.moved, live: s.live, suppressed: s.suppressed && !s.replay.restored}
	if w.since.IsZero() {
		w.since = s.registry.settings.Now()
	}
	if s.spans == nil {
		s.spans = &spanWaits{}
	}
	s.spans.list = append(s.spans.list, w)
	s.registry.links.AwaitTeam(s, r.ref)
	s.registry.startTimer(waitTeam, s)
	if len(s.spans.list) > maxState {
		s.writeWaiting(func(one *spanWait) bool { return one == s.spans.list[0] })
		return
	}
	s.writeReady()
}

// writeRunSpan writes the span of a run, or of a sub-agent in a separate stream.
func (s *Stream) writeRunSpan(r *run, why otlp.CloseReason) {
	if r.isChild() {
		s.writeChild(r, why)
		return
	}
	r.takeCalls(true)
	v := s.process.evidenceOf(r, why).Verdict()
	if r.inPipeline {
		r.top.background = s.registry.runEnded(r.resource, r.top.span, v)
	}
	s.writeAgent(r.top, v)
}

// writeReady writes the spans that need not wait any longer. It runs for each line, and there may be many sub-agents,
// so it checks them only after a change.
func (s *Stream) writeReady() {
	s.writeWaiting(func(w *spanWait) bool {
		known := w.run.ref.Team.Changes() + 1
		if known == w.looked {
			return false
		}
		w.looked = known
		return !s.lacksLinked(w.run)
	})
}

// writeDue also writes the spans that have waited long enough.
func (s *Stream) writeDue(now time.Time) {
	wait := s.registry.settings.linkWait()
	s.writeWaiting(func(w *spanWait) bool {
		switch waited := now.Sub(w.since); {
		case waited < wait:
			return false
		case w.live || waited >= backlogShare*wait:
			return true
		default:
			return s.registry.backlog.quietSince(now.Add(-wait))
		}
	})
}

// writeAll writes all waiting spans.
func (s *Stream) writeAll() { s.writeWaiting(func(*spanWait) bool { return true }) }

// writeWaiting writes the waiting spans that ready selects.
func (s *Stream) writeWaiting(ready func(*spanWait) bool) {
	if s.replay.active && s.replay.restored || s.spans == nil || len(s.spans.list) == 0 {
		return
	}
	kept := s.spans.list[:0]
	for _, w := range s.spans.list {
		if !ready(w) {
			kept = append(kept, w)
			continue
		}
		s.writeWaited(w)
	}
	clear(s.spans.list[len(kept):])
	if s.spans.list = kept; len(kept) == 0 {
		s.spans.list = nil
		s.registry.timers.Stop(waitTeam, s)
	}
}

// writeWaited writes a span that waited, and before it the record of its run's end.
func (s *Stream) writeWaited(w *spanWait) {
	suppressed, r := s.suppressed, w.run
	s.suppressed = w.suppressed && s.suppressed
	defer func() { s.suppressed = suppressed }()
	s.takeLinked(r)
	if late := r.closing.late; late != nil {
		r.closing.late = nil
		if late.event == nil {
			s.recordEnd(r, w.why)
		} else {
			s.attachTotals(r.top, late.event, late.at)
			r.top.chat = late.chat
			s.record(r.top, nil, sighting{late.event, late.at, late.from, late.number})
			r.top.chat = nil
		}
	}
	s.writeRunSpan(r, w.why)
	if s.suppressed {
		s.registry.links.ReleaseTeam(s, r.ref, !r.isChild())
		return
	}
	sent := &sentSpan{stepTaken{unaccepted: true}, r}
	s.spans.sent = append(s.spans.sent, sent)
	s.sink.steps = append(s.sink.steps, sentStep{s, &sent.stepTaken})
}

// spansAccepted removes accepted spans.
func (s *Stream) spansAccepted() {
	if s.spans == nil {
		return
	}
	s.spans.sent = slices.DeleteFunc(s.spans.sent, func(g *sentSpan) bool {
		if !g.unaccepted {
			s.registry.links.ReleaseTeam(s, g.run.ref, g.run.childKey.IsZero())
		}
		return !g.unaccepted
	})
	if len(s.spans.list)+len(s.spans.sent)+len(s.spans.unwritten) == 0 {
		s.spans = nil
	}
}
