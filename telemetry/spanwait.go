package telemetry

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/link"
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

// endings writes the spans of runs that are over, which may have to wait for sub-agents in other streams or for the exit of the
// process.
type endings struct {
	agentWork
	spans *spanWaits // closed runs whose spans wait for sub-agents in other streams
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
func (s *endings) isUnwritten(r *run) bool {
	return s.suppressed && s.spans != nil && slices.Contains(s.spans.unwritten, r.top.spanID)
}

// waitsForLinked reports whether the span of a run that closes now has to wait for sub-agents in other streams.
func (s *endings) waitsForLinked(r *run) bool {
	switch {
	case !r.exports() || r.isJoined() || s.sumsUpAgents(r):
		return false
	case s.suppressed && s.replay.restored:
		return s.isUnwritten(r)
	default:
		return s.lacksLinked(r)
	}
}

// writeClosed writes the span of a closed run or makes it wait.
func (s *endings) writeClosed(r *run, why otlp.CloseReason) {
	if r.closing.late == nil && !s.waitsForLinked(r) && (s.suppressed || !r.exports() || r.isJoined() || r.ref.Team.Empty()) {
		s.writeRunSpan(r, why)
		if child := r.isChild(); child || !r.isJoined() {
			s.registry.links.ReleaseTeam(s.self, r.ref, !child)
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
	s.registry.links.AwaitTeam(s.self, r.ref)
	s.registry.startTimer(waitTeam, s.self)
	if len(s.spans.list) > maxState {
		s.writeWaiting(func(one *spanWait) bool { return one == s.spans.list[0] })
		return
	}
	s.writeReady()
}

// writeRunSpan writes the span of a run, or of a sub-agent in a separate stream.
func (s *endings) writeRunSpan(r *run, why otlp.CloseReason) {
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
func (s *endings) writeReady() {
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
func (s *endings) writeDue(now time.Time) {
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
func (s *endings) writeAll() { s.writeWaiting(func(*spanWait) bool { return true }) }

// writeWaiting writes the waiting spans that ready selects.
func (s *endings) writeWaiting(ready func(*spanWait) bool) {
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
		s.registry.timers.Stop(waitTeam, s.self)
	}
}

// writeWaited writes a span that waited, and before it the record of its run's end.
func (s *endings) writeWaited(w *spanWait) {
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
		s.registry.links.ReleaseTeam(s.self, r.ref, !r.isChild())
		return
	}
	sent := &sentSpan{stepTaken{unaccepted: true}, r}
	s.spans.sent = append(s.spans.sent, sent)
	s.sink.steps = append(s.sink.steps, sentStep{s.self, &sent.stepTaken})
}

// spansAccepted removes accepted spans.
func (s *endings) spansAccepted() {
	if s.spans == nil {
		return
	}
	s.spans.sent = slices.DeleteFunc(s.spans.sent, func(g *sentSpan) bool {
		if !g.unaccepted {
			s.registry.links.ReleaseTeam(s.self, g.run.ref, g.run.childKey.IsZero())
		}
		return !g.unaccepted
	})
	if len(s.spans.list)+len(s.spans.sent)+len(s.spans.unwritten) == 0 {
		s.spans = nil
	}
}

// writeChild writes the span of a sub-agent in a separate stream, with the call that started it as its parent. If that
// call is unknown, the parent is the run, and the span is marked.
func (s *endings) writeChild(r *run, why otlp.CloseReason) {
	k := s.linkNow(r)
	a := r.top
	v := s.process.evidenceOf(r, why).Verdict() // its own file shows its end, unless its call shows a better one
	if k.Ended && (v.Outcome == events.OutcomeIncomplete || v.Outcome == events.OutcomeOK) {
		v = k.End.Verdict
	}
	a.ledger.Incomplete = a.ledger.Incomplete || r.closing.silent && !isOver(&k)
	if r.childKey.Task == 0 { // the duration reported later is since the start of the first task
		a.coverDuration(k.End.Took)
	}
	if k.Call != nil && (k.Call.Exported || s.registry.ids.HasSpan(otlp.SpanRef{Trace: r.traceID, Span: k.Call.Span})) {
		if s.settings.ParentSession != "" {
			maker := s.registry.folders.Found(s.settings.folder(s.settings.ParentSession), r.ref, k.Call)
			if maker != nil && maker != s.self {
				s.followUp.parents = append(s.followUp.parents, maker)
			}
		}
		a.parent, a.name = k.Call.Span, cmp.Or(k.Call.Type, s.registry.links.AgentType(r.childKey), a.name, k.Call.Tool)
		// Its file may continue after the call's result, for milliseconds or for good. This is unknown for a call that is
		// still open: at a shutdown, or if something else than its end showed the end of the work.
		a.background = k.Background || !k.Call.Exported || !k.Ended || k.End.Span.IsZero() || !k.End.Span.Contains(a.span)
	} else {
		a.parent = r.ref.Top
		r.orphan = r.childKey.Agent
		over := r.ref.Span()
		a.background = !r.ref.Exported || over == nil || !over.Contains(a.span)
	}
	s.writeAgent(a, v)
}

// dropSpans leaves the waiting spans to a later process.
func (s *endings) dropSpans() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.spans.runs() {
		s.registry.links.ReleaseTeam(s.self, r.ref, false)
	}
	s.spans = nil
	s.registry.timers.Stop(waitTeam, s.self)
}

// needs returns the runs with sub-agents whose spans in this stream are not written yet.
func (s *endings) needs() (runs []link.RunID) {
	add := func(ref *link.Run) {
		if !ref.Team.Empty() && !slices.Contains(runs, ref.RunID) {
			runs = append(runs, ref.RunID)
		}
	}
	if r := s.run; r != nil && !r.closed && !r.isJoined() && r.ref != nil {
		add(r.ref)
	}
	for r := range s.spans.runs() {
		add(r.ref)
	}
	return runs
}

// unwrittenSpans returns the spans of the stream's closed runs that were not accepted.
func (s *endings) unwrittenSpans() (spans []otlp.SpanID) {
	for r := range s.spans.runs() {
		spans = append(spans, r.top.spanID)
	}
	return spans
}
