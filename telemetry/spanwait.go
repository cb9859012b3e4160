package telemetry

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/work"
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
	run   *work.Run
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
func (w *spanWaits) runs() iter.Seq[*work.Run] {
	return func(yield func(*work.Run) bool) {
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
	run *work.Run
}

// isUnwritten reports whether a replayed run was closed by an earlier process that did not write its span.
func (s *endings) isUnwritten(r *work.Run) bool {
	return s.suppressed && s.spans != nil && slices.Contains(s.spans.unwritten, r.Top.SpanID)
}

// waitsForLinked reports whether the span of a run that closes now has to wait for sub-agents in other streams.
func (s *endings) waitsForLinked(r *work.Run) bool {
	switch {
	case !r.Exports() || r.IsJoined() || s.family.SumsUp(r):
		return false
	case s.suppressed && s.replay.restored:
		return s.isUnwritten(r)
	default:
		return s.family.Lacks(r)
	}
}

// writeClosed writes the span of a closed run or makes it wait.
func (s *endings) writeClosed(r *work.Run, why otlp.CloseReason) {
	if r.Closing.Late == nil && !s.waitsForLinked(r) && (s.suppressed || !r.Exports() || r.IsJoined() || r.Ref.Team.Empty()) {
		s.writeRunSpan(r, why)
		if child := r.IsChild(); child || !r.IsJoined() {
			s.registry.links.ReleaseTeam(s.self, r.Ref, !child)
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
	s.registry.links.AwaitTeam(s.self, r.Ref)
	s.registry.startTimer(waitTeam, s.self)
	if len(s.spans.list) > maxState {
		s.writeWaiting(func(one *spanWait) bool { return one == s.spans.list[0] })
		return
	}
	s.writeReady()
}

// writeRunSpan writes the span of a run, or of a sub-agent in a separate stream.
func (s *endings) writeRunSpan(r *work.Run, why otlp.CloseReason) {
	if r.IsChild() {
		s.writeChild(r, why)
		return
	}
	r.TakeCalls(true)
	v := s.process.evidenceOf(r, why).Verdict()
	if r.InPipeline {
		r.Top.Background = s.registry.runEnded(r.Resource, r.Top.Time, v)
	}
	s.writeAgent(r.Top, v)
}

// writeReady writes the spans that need not wait any longer. It runs for each line, and there may be many sub-agents,
// so it checks them only after a change.
func (s *endings) writeReady() {
	s.writeWaiting(func(w *spanWait) bool {
		known := w.run.Ref.Team.Changes() + 1
		if known == w.looked {
			return false
		}
		w.looked = known
		return !s.family.Lacks(w.run)
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
	s.family.Take(r)
	if late := r.Closing.Late; late != nil {
		r.Closing.Late = nil
		if late.Event == nil {
			s.recordEnd(r, w.why)
		} else {
			s.attachTotals(r.Top, late.Event, late.At)
			r.Top.Chat = late.Chat
			s.record(r.Top, nil, late.Sighting)
			r.Top.Chat = nil
		}
	}
	s.writeRunSpan(r, w.why)
	if s.suppressed {
		s.registry.links.ReleaseTeam(s.self, r.Ref, !r.IsChild())
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
			s.registry.links.ReleaseTeam(s.self, g.run.Ref, g.run.ChildKey.IsZero())
		}
		return !g.unaccepted
	})
	if len(s.spans.list)+len(s.spans.sent)+len(s.spans.unwritten) == 0 {
		s.spans = nil
	}
}

// writeChild writes the span of a sub-agent in a separate stream, with the call that started it as its parent. If that
// call is unknown, the parent is the run, and the span is marked.
func (s *endings) writeChild(r *work.Run, why otlp.CloseReason) {
	k := s.family.Known(r)
	a := r.Top
	v := s.process.evidenceOf(r, why).Verdict() // its own file shows its end, unless its call shows a better one
	if k.Ended && (v.Outcome == events.OutcomeIncomplete || v.Outcome == events.OutcomeOK) {
		v = k.End.Verdict
	}
	a.Ledger.Incomplete = a.Ledger.Incomplete || r.Closing.Silent && !k.Over()
	if r.ChildKey.Task == 0 { // the duration reported later is since the start of the first task
		a.CoverDuration(k.End.Took)
	}
	if k.Call != nil && (k.Call.Exported || s.registry.ids.HasSpan(otlp.SpanRef{Trace: r.TraceID, Span: k.Call.Span})) {
		s.family.AnnounceFound(r, k.Call)
		a.Parent, a.Name = k.Call.Span, cmp.Or(k.Call.Type, s.registry.links.AgentType(r.ChildKey), a.Name, k.Call.Tool)
		// Its file may continue after the call's result, for milliseconds or for good. This is unknown for a call that is
		// still open: at a shutdown, or if something else than its end showed the end of the work.
		a.Background = k.Background || !k.Call.Exported || !k.Ended || k.End.Span.IsZero() || !k.End.Span.Contains(a.Time)
	} else {
		a.Parent = r.Ref.Top
		r.Orphan = r.ChildKey.Agent
		over := r.Ref.Span()
		a.Background = !r.Ref.Exported || over == nil || !over.Contains(a.Time)
	}
	s.writeAgent(a, v)
}

// dropSpans leaves the waiting spans to a later process.
func (s *endings) dropSpans() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.spans.runs() {
		s.registry.links.ReleaseTeam(s.self, r.Ref, false)
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
	if r := s.run; r != nil && !r.Closed && !r.IsJoined() && r.Ref != nil {
		add(r.Ref)
	}
	for r := range s.spans.runs() {
		add(r.Ref)
	}
	return runs
}

// unwrittenSpans returns the spans of the stream's closed runs that were not accepted.
func (s *endings) unwrittenSpans() (spans []otlp.SpanID) {
	for r := range s.spans.runs() {
		spans = append(spans, r.Top.SpanID)
	}
	return spans
}
