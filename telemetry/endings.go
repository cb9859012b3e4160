package telemetry

import (
	"cmp"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/spanwait"
	"github.com/tailspan/tailspan/session/work"
)

// settleTime is the allowed delay between the stream of a run and that of a sub-agent, which closes after
// [Settings.ParentWait] without a line.
const settleTime = time.Second

// linkWait is how long a span waits for sub-agents in other streams.
func (s *Settings) linkWait() time.Duration {
	return max(s.EndGrace, s.ParentWait) + settleTime
}

// endings writes the spans of runs that are over, which may have to wait for sub-agents in other streams or for the exit of the
// process.
type endings struct {
	agentWork
	spans *spanwait.List // closed runs whose spans wait for sub-agents in other streams
}

// waitsForLinked reports whether the span of a run that closes now has to wait for sub-agents in other streams.
func (s *endings) waitsForLinked(r *work.Run) bool {
	switch {
	case !r.Exports() || r.IsJoined() || s.family.SumsUp(r):
		return false
	case s.emit.Suppressed && s.replay.Restored():
		return s.spans.WasUnwritten(r)
	default:
		return s.family.Lacks(r)
	}
}

// writeClosed writes the span of a closed run or makes it wait.
func (s *endings) writeClosed(r *work.Run, why otlp.CloseReason) {
	if r.Closing.Late == nil && !s.waitsForLinked(r) && (s.emit.Suppressed || !r.Exports() || r.IsJoined() || r.Ref.Team.Empty()) {
		s.writeRunSpan(r, why)
		if child := r.IsChild(); child || !r.IsJoined() {
			s.registry.links.ReleaseTeam(s.self, r.Ref, !child)
		}
		return
	}
	w := &spanwait.Wait{Run: r, Why: why, Since: s.moved, Live: s.live, Suppressed: s.emit.Suppressed && !s.replay.Restored()}
	if w.Since.IsZero() {
		w.Since = s.registry.settings.Now()
	}
	if s.spans == nil {
		s.spans = new(spanwait.List)
	}
	oldest := s.spans.Add(w)
	s.registry.links.AwaitTeam(s.self, r.Ref)
	s.registry.startTimer(waitTeam, s.self)
	if oldest != nil {
		s.writeWaiting(func(one *spanwait.Wait) bool { return one == oldest })
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
		r.Top.Background = s.registry.pipelines.End(r.Resource, r.Top.Time, v, s.registry.settings.Now())
	}
	s.writeAgent(r.Top, v)
}

// writeReady writes the spans that need not wait any longer. It runs for each line.
func (s *endings) writeReady() {
	s.writeWaiting(func(w *spanwait.Wait) bool { return w.Changed() && !s.family.Lacks(w.Run) })
}

// writeDue also writes the spans that have waited long enough.
func (s *endings) writeDue(now time.Time) {
	wait := s.registry.settings.linkWait()
	s.writeWaiting(func(w *spanwait.Wait) bool { return w.Due(now, wait, s.registry.backlog.Before) })
}

// writeAll writes all waiting spans.
func (s *endings) writeAll() { s.writeWaiting(func(*spanwait.Wait) bool { return true }) }

// writeWaiting writes the waiting spans that ready selects.
func (s *endings) writeWaiting(ready func(*spanwait.Wait) bool) {
	if s.spans == nil || s.replay.Active && s.replay.Restored() {
		return
	}
	last := s.spans.Write(func(w *spanwait.Wait) bool {
		write := ready(w)
		if write {
			s.writeWaited(w)
		}
		return write
	})
	if last {
		s.registry.timers.Stop(waitTeam, s.self)
	}
}

// writeWaited writes a span that waited, and before it the record of its run's end.
func (s *endings) writeWaited(w *spanwait.Wait) {
	suppressed, r := s.emit.Suppressed, w.Run
	s.emit.Suppressed = w.Suppressed && s.emit.Suppressed
	defer func() { s.emit.Suppressed = suppressed }()
	s.family.Take(r)
	if late := r.Closing.Late; late != nil {
		r.Closing.Late = nil
		if late.Event == nil {
			s.emit.End(r, s.process.evidenceOf(r, w.Why).Verdict(), s.moved)
		} else {
			s.attachTotals(r.Top, late.Event, late.At)
			r.Top.Chat = late.Chat
			s.record(r.Top, nil, late.Sighting)
			r.Top.Chat = nil
		}
	}
	s.writeRunSpan(r, w.Why)
	if s.emit.Suppressed {
		s.registry.links.ReleaseTeam(s.self, r.Ref, !r.IsChild())
		return
	}
	s.sink.steps = append(s.sink.steps, sentStep{s.self, s.spans.Sent(r)})
}

// spansAccepted removes accepted spans.
func (s *endings) spansAccepted() {
	s.spans = s.spans.Accept(func(r *work.Run) { s.registry.links.ReleaseTeam(s.self, r.Ref, r.ChildKey.IsZero()) })
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
	for r := range s.spans.Runs() {
		s.registry.links.ReleaseTeam(s.self, r.Ref, false)
	}
	s.spans = nil
	s.registry.timers.Stop(waitTeam, s.self)
}

// exitGrace is how long the span of a run with a result waits for the exit of its process. Some agents stay after their
// result; their spans are then exported without the exit.
const exitGrace = 5 * time.Second

// processEnd is the end of a stream's process and the run that waits for it.
type processEnd struct {
	unwritten *unwritten    // a closed run whose span is waiting
	exit      *outcome.Exit // nil until the process ended
}

// of returns the exit of the process if the run was its last, or nil if unknown.
func (p *processEnd) of(r *work.Run) *outcome.Exit {
	if r.Closing.ExitKnown {
		return r.Closing.Exit
	}
	return p.exit
}

// unwritten is a closed run whose span waits for the exit of its process.
type unwritten struct {
	run *work.Run
	why otlp.CloseReason
}

// writeTop writes the span of a closed run or makes it wait for the exit of its process.
func (s *endings) writeTop(r *work.Run, why otlp.CloseReason) {
	s.writeUnwritten()
	s.process.unwritten = &unwritten{r, why}
	if !s.settings.AwaitExit || s.process.exit != nil || s.emit.Suppressed {
		s.writeUnwritten()
		return
	}
	s.registry.startTimer(waitExit, s.self)
}

// writeUnwritten writes the waiting span, with or without an exit.
func (s *endings) writeUnwritten() {
	if s.process.unwritten == nil {
		return
	}
	r, why := s.process.unwritten.run, s.process.unwritten.why
	s.process.unwritten = nil
	s.registry.timers.Stop(waitExit, s.self)
	r.Closing.Exit, r.Closing.ExitKnown = s.process.exit, true
	s.writeClosed(r, why)
}

// giveUpExit writes the span that has waited too long.
func (s *endings) giveUpExit(into *batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeInto(into, false)
	s.writeUnwritten()
	s.emit.Meter.Flush()
}

// evidenceOf returns what is known of the end of a run that is closed for why.
func (p *processEnd) evidenceOf(r *work.Run, why otlp.CloseReason) *outcome.Evidence {
	return r.Evidence(why, p.of(r))
}

// endsLater reports whether the record of the event that ends a run waits with the run's span, and stores it until then.
func (s *endings) endsLater(a *work.Agent, ev *events.DisplayEvent, at clock.Moment, o pending.Origin) bool {
	r := a.Run
	if a != r.Top || r.Closed || r.SubAgent || !content.Ends(ev) || ev.End == nil {
		return false
	}
	if r.Closing.Other = s.share.AwaitsOther(r, s.live || s.settings.AwaitExit); !s.waitsForLinked(r) {
		return false
	}
	kept := *ev
	r.Closing.Late = &work.LateEnd{Sighting: pending.Sighting{Event: &kept, At: at, From: o, Number: r.Resource.NextNumber()}, Chat: a.Chat}
	return true
}

// endRecord writes the record of the end of a run that no line ends, or makes it wait with the run's span.
func (s *endings) endRecord(r *work.Run, why otlp.CloseReason) {
	switch {
	case r.End.By != events.KindUnspecified:
	case s.waitsForLinked(r):
		r.Closing.Late = &work.LateEnd{}
	default:
		s.family.Take(r)
		s.emit.End(r, s.process.evidenceOf(r, why).Verdict(), s.moved)
	}
}

// reportDue reports the usage of a closed sub-agent that no further line continues.
func (s *endings) reportDue(r *work.Run) {
	if r != nil && r.Closing.Report == work.Due {
		r.Closing.Report = work.Reported
		s.family.Enter(r, true)
	}
}

// attachTotals adds the totals of the run to its end, for readers that did not see its beginning.
func (s *endings) attachTotals(a *work.Agent, ev *events.DisplayEvent, at clock.Moment) {
	r := a.Run
	if !content.Ends(ev) || ev.End == nil || a.Call != nil {
		return
	}
	if !r.Closed {
		s.family.Take(r)
	}
	end := *ev.End
	if end.Totals = r.TotalsAt(at); r.End.By != ev.Kind && r.Closed { // a second end does not know the sub-agents
		end.Totals.Incomplete = false
	}
	e := outcome.Evidence{End: ev.End, Signs: r.Signs, Open: r.Calls.AnyOpen(), Why: otlp.CloseReasonResult}
	v := e.Verdict()
	if !ev.Synthetic {
		end.Decided, end.Cause = v.Outcome, v.Cause
	}
	if left := outcome.WithoutResult(v.Inner()); left.ErrorType != "" {
		end.Totals.ToolErrors += r.Unanswered()
	}
	ev.End = &end
}
