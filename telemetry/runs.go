package telemetry

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/modelcall"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/runkey"
	"github.com/tailspan/tailspan/session/team"
	"github.com/tailspan/tailspan/session/work"
)

// runs opens and closes the runs of a stream.
type runs struct{ endings }

// openRun opens the run that begins with waiting. It closes the previous one, whose result never came.
func (s *runs) openRun(key *runkey.Key, waiting pending.Events) {
	compacted := false
	if before := s.run; before != nil {
		if !before.Closed {
			s.closeRun(before, otlp.CloseReasonSuperseded)
		}
		s.reportDue(before)
		compacted = before.Top.Thread.Compacted
	}
	s.writeUnwritten()
	s.program.NoteStart(waiting)
	r := &work.Run{Resource: s.program.Resource}
	r.Key, r.SessionID, r.Begin.Clock = key.String(), strings.Clone(waiting.Session()), s.startOf(waiting)
	r.IDSession = s.program.IDSession(r.SessionID)
	if s.family.Child().IsZero() { // otherwise the run is its parent's, and adopt handles it
		r.Standing, r.Account = s.share.Classify(r.IDSession, key, waiting)
		if a := r.Account; r.Standing == account.Second && a != nil && !a.Recalled() && a.Run() == nil {
			r.Standing = account.First // the other one waits for this one or has not reached it
		}
	}
	s.past.runs++
	occurrence := s.seen.Nth(&s.seen.Runs, r.Key)
	if occurrence > 0 {
		r.Key += "~" + strconv.Itoa(occurrence)
	}
	r.Top = &work.Agent{
		Run: r, Ledger: ledger.Ledger{Prices: &s.registry.settings.Prices}, Name: r.Resource.AgentName(), Thread: modelcall.Thread{Compacted: compacted},
		SpanID: otlp.NewSpanID(otlp.DomainRun, 0, s.program.Agent.Provider, r.IDSession, r.Key),
	}
	if r.Standing == account.Second && r.Account != nil && r.Account.Run() != nil {
		s.share.Join(r)
		s.stepOfAccount(r, r.Account.Resource(), otlp.SpanRef{Trace: r.Ref.Trace, Span: r.Ref.Top})
		s.beginCourse(r, waiting[0].At)
	} else {
		if alone := s.placeRun(r); !alone || !key.ByMessage || r.SessionID == "" {
			r.IDScope = r.Key
		}
		s.beginCourse(r, waiting[0].At)
		r.Ref = s.registry.links.NewRun(&link.Run{
			RunID: link.RunID{Trace: r.TraceID, Top: r.Top.SpanID}, Key: r.Key, Scope: r.IDScope, Session: r.SessionID,
			Exported: r.Exports(), Recorded: s.program.Recorded, Account: key.Account, Begun: r.Course.Begun(),
		})
	}
	if r.Standing == account.Second {
		// The first account is from an earlier process: the position of its run follows from IDs alone.
		s.stepOfAccount(r, nil, otlp.SpanRef{Trace: r.OwnTrace(s.program.Agent.Provider), Span: r.Top.SpanID})
	}
	r.OpenedBy(&waiting[0])
	if r.Continues = s.run.ContinuedBy(&waiting[0].Event, r.SessionID); r.Continues.Shown && s.run.End.By == events.KindUnspecified {
		r.Top.Ledger.Continue(&s.run.Top.Ledger)
		r.Continues.Calls, s.run.Continues.Calls = &s.run.Calls, nil // only one earlier run is kept
		s.family.AnnounceTurn(r, s.run.Turn)
	}
	s.run = r
	if r.Standing == account.First && r.Account != nil {
		s.share.Opened(r)
	}
	s.family.AnnounceRun(r, waiting[0].At)
}

// startOf returns the start of the run that begins with waiting: by the system clock if it is live, else by its lines.
func (s *runs) startOf(waiting pending.Events) clock.Instant {
	if s.live || !waiting[0].At.Known() {
		return clock.InstantOf(s.registry.settings.Now())
	}
	return waiting[0].At.At
}

// joinPipeline counts a sub-agent whose parent was not found among the runs of its pipeline.
func (s *runs) joinPipeline(r *work.Run) {
	if s.settings.Parent.Empty() && r.Exports() {
		_, r.InPipeline = s.registry.pipelines.Start(r.Resource, true)
	}
}

// reportsRun reports whether the stream reports the progress of the current run: it is open and no second account.
func (s *runs) reportsRun() bool {
	r := s.run
	return r != nil && !r.Closed && r.Standing == account.First && !r.SubAgent
}

// stepStarted writes the start record of a live run whose progress the stream reports.
func (s *runs) stepStarted(r *work.Run, waiting pending.Events) {
	if !s.live || !s.reportsRun() {
		return
	}
	s.registry.startTimer(waitProgress, s.self)
	s.sink.AddRunStarted(r.Resource, r.LiveRecord(s.registry.settings.Now(), otlp.EventNameStepStarted, 0), s.program.Agent.ServiceName, waiting.Model())
}

// begins applies a line that opens a run, a turn or a session. Its time is the start of the run. Its session attributes
// hold until another line replaces them.
func (s *runs) begins(a *work.Agent, ev *events.DisplayEvent, at clock.Moment) {
	if a.Call != nil {
		return
	}
	// What a user says between two answers begins nothing, although it may be the first event with a time in a stream without one before.
	a.Run.Begin.Known = a.Run.Begin.Known || at.Source == clock.SourceLine && !a.Run.Shape.Message
	if !a.Thread.LastInput.Known() {
		a.Thread.LastInput = at // the input of the first model call is missing or follows later
	}
	if ev.Session != nil {
		s.program.NoteSession(ev.SessionID, ev.Session)
	}
}

// adopt makes the run just opened the work of a sub-agent in its parent's run.
func (s *runs) adopt(key link.Key, ref *link.Run) {
	r := s.run
	r.ChildKey, r.Ref, r.TraceID, r.IDScope, r.SubAgent = key, ref, ref.Trace, ref.Scope, true
	r.Key = ref.Key
	r.Course.Begin(ref.Begun)
	r.Top.Parent = otlp.SpanID{}
	r.Top.ID = key.Agent
	r.Top.Name = s.program.AgentName
	r.Top.SpanID = otlp.NewSpanID(otlp.DomainAgent, s.seen.Nth(&s.seen.Agents, key.Agent), key.Provider, key.Session, "", key.Agent)
	ref.Team.Opened(key.Member())
	ref.Move(s.lastWrite())
	if group := s.settings.Group; group != "" {
		ref.Team.Group(team.Key{Agent: group})
	}
	s.share.ClassifyAgent(r, key)
	s.registry.startTimer(waitParent, s.self)
}

// finishRun closes the run that ev ends.
func (s *runs) finishRun(a *work.Agent, ev *events.DisplayEvent) {
	if a.Call != nil {
		if a.Detached { // its call is over, so nothing else shows its end
			s.closeAgent(a, (&outcome.Evidence{End: ev.End, Why: otlp.CloseReasonResult}).Verdict())
		}
		return
	}
	if a.Run.SubAgent && ev.Kind == events.KindTurnDone {
		a.Run.NoteTurn(ev)
		return
	}
	if a.Run.Closed {
		return
	}
	a.Run.End.Line, a.Run.End.By, a.Run.End.Own = work.EndOf(ev.End), ev.Kind, !ev.Synthetic
	a.Run.Continues.Shown = a.Run.Continues.Shown || ev.End != nil && ev.End.Continues
	s.measure(a.Run)
	why := otlp.CloseReasonResult
	if ev.Synthetic {
		why = otlp.CloseReasonNoResult // tailspan made this end in the agent's place
	}
	s.closeRun(a.Run, why)
}

// closeRun closes everything open in the run except sub-agents in the background, and then the run.
func (s *runs) closeRun(r *work.Run, why otlp.CloseReason) {
	r.End.LeftOpen = r.Calls.AnyOpen()
	r.End.Agents = r.UnnamedAgents()
	r.Closing.Abandoned = !r.ShowsEnd() && why != otlp.CloseReasonResult && why != otlp.CloseReasonSuperseded
	v := s.process.evidenceOf(r, why).Verdict()
	if why == otlp.CloseReasonTimeout {
		k := s.family.Known(r)
		r.Closing.Silent = r.Closing.Silent || r.MayContinue(&k)
	}
	inner := v.Inner()
	for _, a := range s.open.InnermostFirst() {
		if a.Run == r && !a.InBackground() {
			s.closeAgent(a, outcome.Closed(inner))
		}
	}
	for _, c := range slices.Clone(r.Calls.Open()) {
		if !c.Caller.InBackground() {
			s.closeCall(c, outcome.WithoutResult(inner))
		}
	}
	s.emit.First(r)
	s.closeChat(r.Top)
	if r.Others != nil {
		s.closeChat(r.Others)
	}
	s.emit.First(r) // it may be the only call
	if !r.IsChild() {
		r.Closing.Other = r.Closing.Other || s.share.AwaitsOther(r, s.live || s.settings.AwaitExit)
		s.endRecord(r, why)
	}
	s.family.OtherOver(r)
	r.Closed, r.Top.Closed = true, true
	s.past.lastEnd = r.Top.Time.End
	s.registry.timers.Stop(waitProgress, s.self)
	s.registry.timers.Stop(waitEnd, s.self)
	if n := len(r.Calls.Open()); n > 0 {
		s.linger(r, n)
	}
	if r.IsChild() {
		if r.Closing.Report = work.Reported; !s.idle {
			r.Closing.Report = work.Due // the next line may continue its work
		}
		if r.Closing.Silent {
			r.Ref.Team.Silenced(r.ChildKey.Member())
		}
		s.family.Enter(r, s.idle)
		s.writeClosed(r, why)
		s.registry.timers.Stop(waitParent, s.self)
		s.family.AnnounceDone(r)
		s.family.Notify(s.share.EndAgents(r))
		if r.Standing == account.First && r.Account != nil {
			s.family.Notify(s.share.End(r.Account, r.Top.Time, false))
		}
		return
	}
	if !r.IsJoined() {
		if total := r.Top.Ledger.Total(); total.Tokens == (events.Tokens{}) {
			r.Ref.SetUnused()
		}
		r.Ref.End(r.Top.Time, r.Top.Ledger.HasTotals())
		if r.Top.Ledger.HasTotals() {
			r.Ref.Team.Calls.Drop()
		}
	}
	s.family.Notify(s.share.EndAgents(r))
	s.writeTop(r, why)
	s.allWritten(r)
}

// closeOpen closes everything open for reason.
func (s *runs) closeOpen(reason otlp.CloseReason) {
	if s.run != nil && !s.run.Closed {
		s.closeRun(s.run, s.endOf(s.run, reason))
	}
	for _, a := range s.open.InnermostFirst() {
		s.closeAgent(a, outcome.Closed(reason))
	}
	s.closeLingering(reason)
	s.family.SetAnnounced(nil)
	s.writeUnwritten()
}

// passed records the time of an applied event.
func (s *runs) passed(at clock.Moment) {
	s.clock.Passed(at)
	s.replay.LastReplayed = s.emit.Suppressed
}

// Only silence shows that an agent was killed or abandoned. A followed stream is closed after a silence, and a stream
// that is read afterwards has a gap between the times of its lines. In both cases the same open items are closed, with
// the same spans and times, and the lines after the gap have the same effect. So the result does not depend on when a
// stream is read. Lines that are written while the stream is followed have no gap before them: the system clock has
// decided, and its decisions are stored ([replay.Close]), as are the ranges of these lines ([StreamState.Lived]).

// closeGap closes what a gap ends: the run that has shown its end, or everything open if the stream was abandoned.
func (s *runs) closeGap() {
	idle := s.idle
	s.idle = false // an event follows the gap
	defer func() { s.idle = idle }()
	if s.turnOver() {
		s.closeRun(s.run, otlp.CloseReasonTimeout)
	} else {
		s.closeOpen(otlp.CloseReasonTimeout)
	}
}

// gapBound is the largest gap between two lines before the current run counts as over; 0 means no limit.
func (s *runs) gapBound() time.Duration {
	bound := s.settings.IdleGap
	if grace := s.registry.settings.EndGrace; grace > 0 && (bound <= 0 || grace < bound) && s.turnOver() {
		return grace
	}
	return bound
}

// turnOver reports whether the current run has shown its end and nothing below it is active. A sub-agent in a separate
// stream ends with its call.
func (s *runs) turnOver() bool {
	if !s.run.ShowsEnd() {
		return false
	}
	r := s.run
	if r.IsChild() && !s.registry.links.Lookup(r.ChildKey).Background {
		return false
	}
	return !s.open.IsBusy(r) &&
		!s.family.AnyElsewhere()
}

// endOf returns the close reason of a run whose stream ends for reason.
func (s *runs) endOf(r *work.Run, reason otlp.CloseReason) otlp.CloseReason {
	if r.Calls.AnyOpen() {
		return reason
	}
	if r.IsChild() {
		if k := s.family.Known(r); k.Ended {
			return k.End.Reason // its call is over, and only the link was pending
		}
	}
	return reason
}

// stepOfAccount adds a second account to its own pipeline and step, which link to the first account's run.
func (s *runs) stepOfAccount(r *work.Run, ofFirst *otlp.Resource, first otlp.SpanRef) {
	if s.settings.Parent.Empty() {
		r.InPipeline = s.registry.pipelines.StartAccount(r.Resource, ofFirst, first)
	}
}

// placeRun sets the trace of the run and the parent of its top span: from the outer trace, else the pipeline, else the
// session, else the run's own trace. It reports whether the run is alone in its trace.
func (s *runs) placeRun(r *work.Run) (alone bool) {
	if outer := s.settings.Parent; !outer.Empty() {
		r.TraceID, r.Top.Parent = outer.TraceID, outer.SpanID
		return false
	}
	counts := r.Standing == account.First && s.family.Child().IsZero()
	if parent, ok := s.registry.pipelines.Start(r.Resource, counts); ok {
		r.TraceID, r.Top.Parent, r.InPipeline = parent.Trace, parent.Span, counts
		return false
	}
	if s.registry.settings.TraceBySession && r.SessionID != "" {
		r.TraceID = otlp.NewTraceID(0, s.program.Agent.Provider, r.SessionID)
		return false
	}
	r.TraceID = r.OwnTrace(s.program.Agent.Provider)
	return true
}
