package telemetry

import (
	"iter"
	"slices"
	"time"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
)

// The span of a run, or of a sub-agent in a stream of its own, has the total of what it used with all that worked for it
// (package team). So it waits for those that are at work, and so does the record of the run's end:
//
//	closed → written   none of them is at work; the last line of its stream was read linkWait ago; the stream is closed
//	                   for good; the registry is
//
// What is at work then is not in the total, which is marked ([otlp.AttrUsageIncomplete]). A span that was not written, or not
// acknowledged, is kept in the state of its stream ([StreamState.Unwritten]): its run is closed again when its lines are
// replayed, and the span waits on.

// settleTime is what a sub-agent's stream that is closed since nothing came for [Settings.ParentWait] may be behind that of
// its run.
const settleTime = time.Second

// backlogShare bounds by how many times a span waits longer while files are read that were there before.
const backlogShare = 6

// linkWait is how long a span waits for sub-agents in other streams.
func (s *Settings) linkWait() time.Duration {
	return max(s.EndGrace, s.ParentWait) + settleTime
}

// spanWait is a closed run whose span waits.
type spanWait struct {
	run   *run
	why   otlp.CloseReason
	since time.Time // when the last line of the stream was read
	live  bool      // and that was written while the stream was followed
	// suppressed is set if a replayed line closed the run, and no state says whether its span was exported: it was if a replayed line made it
	// ready.
	suppressed bool
	// looked is one more than the changes of its sub-agents that were known when they were looked at; 0 before.
	looked uint32
}

// spanWaits are the spans of a stream that wait.
type spanWaits struct {
	list []*spanWait // oldest first
	// unwritten are those that an earlier process did not write.
	unwritten []otlp.SpanID
	// sent were written, and may not be acknowledged yet.
	sent []*sentSpan
}

// runs are those whose spans were not accepted.
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

// sentSpan is the span of a run that was handed on.
type sentSpan struct {
	stepTaken
	run *run
}

// isUnwritten reports whether a run that is replayed was closed by an earlier process, and its span not written.
func (s *Stream) isUnwritten(r *run) bool {
	return s.suppressed && s.spans != nil && slices.Contains(s.spans.unwritten, r.top.spanID)
}

// waitsForLinked reports whether the span of a run that is closed now has to wait for sub-agents in other streams.
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

// lacksLinked reports whether sub-agents of a closed run are at work, or may be. Whether the files of those that a stream on
// standard output names are read at all is not known, so it waits for those alone whose files are.
func (s *Stream) lacksLinked(r *run) bool {
	u := s.registry.links.Use(s.settings.Agent.Provider, r.ref, r.childKey.Member(), 0)
	return u.AtWork || (s.recorded || r.isChild()) && (u.Unseen || u.Groups)
}

// sumsUpAgents reports whether the run's own totals hold the tokens of its sub-agents.
func (s *Stream) sumsUpAgents(r *run) bool {
	return !r.isChild() && s.settings.Agent.TotalsOfAgents && r.top.ledger.HasTotals()
}

// takeLinked enters in the ledger of a run what its sub-agents in other streams used.
func (s *Stream) takeLinked(r *run) {
	if s.sumsUpAgents(r) || r.isJoined() || r.ref == nil {
		return
	}
	var until clock.Instant
	if end := r.top.span.End; end.FromLine() || end.Source == clock.SourceCarried {
		until = end.At.Add(s.registry.settings.linkWait())
	}
	u := s.registry.links.Use(s.settings.Agent.Provider, r.ref, r.childKey.Member(), until)
	r.top.ledger.Linked, r.top.ledger.Incomplete = u.Used, u.Incomplete
}

// reportLinked enters what the sub-agent that works in this stream used, once its stream shows the end of its work.
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

// endsByItself reports whether the stream of a sub-agent shows the end of its work, and has nothing more.
func (s *Stream) endsByItself(r *run) bool {
	return s.idle && len(s.pending) == 0 && (r.showsEnd() || r.end.line != nil && len(r.calls.open) == 0)
}

// enterLinked enters what a sub-agent used.
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
		s.followUp.notify(s.registry.links.Over(r.ref, r.childKey, end, r.top.ledger.Own()))
	}
}

// worksInline notes that a sub-agent works in the run's own stream, or that this is over.
func (s *Stream) worksInline(a *agent, over bool) {
	if c := a.call; c.AgentID != "" && a.role != roleDuplicate && !a.run.isJoined() {
		a.run.ref.Team.Inline(s.keyOf(c).Member(), over)
	}
}

// writeClosed writes the span of a closed run, or has it wait.
func (s *Stream) writeClosed(r *run, why otlp.CloseReason) {
	r.top.ledger.Closed = true
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
	s.registry.await(waitTeam, s)
	if len(s.spans.list) > maxState {
		s.writeWaiting(func(one *spanWait) bool { return one == s.spans.list[0] })
		return
	}
	s.writeReady()
}

// writeRunSpan writes the span of a run, or of a sub-agent in a stream of its own.
func (s *Stream) writeRunSpan(r *run, why otlp.CloseReason) {
	if r.isChild() {
		s.writeChild(r, why)
		return
	}
	v := s.process.evidenceOf(r, why).Verdict()
	if r.inPipeline {
		r.top.background = s.registry.runEnded(r.resource, r.top.span, v)
	}
	s.writeAgent(r.top, v)
}

// writeReady writes the spans that nothing is to be waited for any more. It is called with each line, and sub-agents may be many:
// they are looked at again only after a change.
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

// writeDue writes those too that waited for long enough.
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

// writeAll writes all that wait.
func (s *Stream) writeAll() { s.writeWaiting(func(*spanWait) bool { return true }) }

// writeWaiting writes the spans that ready names.
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

// writeWaited writes a span that waited, and the record of its run's end before it.
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

// spansAccepted drops what was known for spans that were accepted.
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
