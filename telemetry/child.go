package telemetry

import (
	"cmp"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/team"
)

// A sub-agent's separate stream waits for its parent's: first for the run that it belongs to, then for its call
// (package link), or for what its folder shows of them (package folder).
//
// The output that a parent's line releases in a child is exported with that line: a replayed line releases it without
// export, and an unacknowledged line has released nothing.

// streamLinks holds the links of a stream to others.
type streamLinks struct {
	child link.Key // the sub-agent that works in the stream, if one does
	// taskStart is the start of a sub-agent's file, and taskPrompt its first prompt.
	taskStart  clock.Instant
	taskPrompt string
	// announced are the agents that the stream started and that may work in separate streams.
	announced []link.Key
	awaited   *awaited // nil before the first
}

// childOf returns the sub-agent that works in this stream. The first event with a session decides: a stream that begins
// with a main session may contain sub-agents' sessions later.
func (s *Stream) childOf(waiting []pendingEvent) link.Key {
	for i := range waiting {
		if !s.links.child.IsZero() || s.run != nil {
			break
		}
		s.links.child = childKeyOf(s.settings.Agent.Provider, &waiting[i].event)
		if waiting[i].event.SessionID != "" {
			break
		}
	}
	return s.links.child
}

func (s *Stream) turnOf(waiting []pendingEvent) link.Turn {
	for i := range waiting {
		if ev := &waiting[i].event; ev.TurnID != "" {
			return link.Turn{Provider: s.settings.Agent.Provider, Session: ev.SessionID, Turn: ev.TurnID}
		}
	}
	return link.Turn{}
}

// adopt makes the run just opened the work of a sub-agent in its parent's run.
func (s *Stream) adopt(key link.Key, ref *link.Run) {
	r := s.run
	r.childKey, r.ref, r.traceID, r.idScope, r.subAgent = key, ref, ref.Trace, ref.Scope, true
	r.key = ref.Key
	r.course.Begin(ref.Begun)
	r.top.parent = otlp.SpanID{}
	r.top.id = key.Agent
	r.top.name = s.agentName
	r.top.spanID = otlp.NewSpanID(otlp.DomainAgent, s.seen.Nth(&s.seen.Agents, key.Agent), key.Provider, key.Session, "", key.Agent)
	ref.Team.Opened(key.Member())
	ref.Move(s.lastWrite())
	if group := s.settings.Group; group != "" {
		ref.Team.Group(team.Key{Agent: group})
	}
	s.classifyAgent(r, key)
	s.registry.startTimer(waitParent, s)
}

// childKeyOf returns the key of the sub-agent whose separate stream an event is in, or an empty key.
func childKeyOf(provider string, ev *events.DisplayEvent) link.Key {
	switch {
	case ev.ParentID != "":
		return link.Key{} // a sub-agent inside its parent's stream
	case ev.AgentID != "" && ev.AgentID != ev.SessionID:
		return link.Key{Provider: provider, Session: ev.SessionID, Agent: ev.AgentID}
	case ev.AgentID != "", ev.Session != nil && (ev.Session.SubAgent || ev.Session.ParentID != ""):
		return link.Key{Provider: provider, Agent: ev.SessionID}
	default:
		return link.Key{}
	}
}

// maxTask bounds the stored part of a sub-agent's prompt, which identifies its call, in bytes.
const maxTask = 16 << 10

// noteTask stores the start and the prompt of a sub-agent's file if its folder names its session.
func (s *Stream) noteTask(waiting []pendingEvent) {
	if s.settings.ParentSession == "" {
		return
	}
	s.links.taskStart = waiting[0].at.At
	for i := range waiting {
		if ev := &waiting[i].event; ev.Kind == events.KindPrompt {
			s.links.taskPrompt = ev.Text[:min(len(ev.Text), maxTask)]
			return
		}
	}
}

// folderRun returns the run that the stream belongs to by its folder. Unless decide is set, it returns nil as long as
// the session may have a later match.
func (s *Stream) folderRun(decide bool) *link.Run {
	if s.settings.ParentSession == "" {
		return nil
	}
	decide = decide || s.live && s.registry.settings.Eager
	run := s.registry.folders.Await(s, s.settings.folder(s.settings.ParentSession), s.links.taskStart, decide)
	if run == nil {
		s.registry.startTimer(waitParent, s)
	}
	return run
}

// linkNow returns what is known of the sub-agent that works in the stream, including what the folder shows of its call.
func (s *Stream) linkNow(r *run) link.Child {
	k := s.registry.links.Lookup(r.childKey)
	if k.Call != nil && k.Run != nil && k.Run.RunID != r.ref.RunID {
		k.Call, k.Ended = nil, false // the parent call must be in the same run
	}
	if k.Call == nil && s.settings.ParentSession != "" {
		start := r.course.Place(clock.Moment{At: s.links.taskStart}, clock.Moment{At: r.course.Begun()}).At
		if c, ok := s.registry.folders.Find(s.settings.folder(s.settings.ParentSession), r.ref, start, s.links.taskPrompt); ok {
			k.Call, k.Ended, k.End = &c.Call, true, c.End
		}
	}
	return k
}

// settle closes the run of a sub-agent in a separate stream if its call is over and its stream is complete. Files are
// read concurrently, so the result of the call may be read before the sub-agent's last lines. A stream that shows no
// end waits for them ([Stream.expire]), unless the file is old.
func (s *Stream) settle() {
	r := s.run
	if r == nil || r.closed || r.childKey.IsZero() || !s.idle || len(r.calls.open) > 0 {
		return
	}
	if !s.endsByItself(r) && !s.isComplete() {
		return
	}
	if k := s.registry.links.Lookup(r.childKey); k.Ended {
		s.suppressed = false // had it been closed before a restart, it would be closed
		s.recordStep(StepEnd, s.sink)
		s.closeRun(r, k.End.Reason)
	}
}

// expire closes the run of a sub-agent that has been quiet since before, even if its call is unknown or it has open
// calls: its parent is over, so nothing more follows. The same holds for an old file that was read to its end.
//
// A stream that waits for its run, or for the call that started its next task, gets the best match so far.
func (s *Stream) expire(before time.Time) {
	if s.moved.After(before) {
		return
	}
	last := s.isOld(s.settings.IdleGap) && s.idle && s.registry.backlog.quietSince(before)
	if len(s.pending) > 0 && s.expireHeld(last) || s.run == nil || s.run.closed || s.run.childKey.IsZero() {
		return
	}
	k, why := s.linkNow(s.run), otlp.CloseReasonResult
	switch over := s.registry.links.Lookup(s.run.childKey).Ended || s.run.ref.Span() != nil; {
	case !over && !last:
		return
	case !over:
		why = otlp.CloseReasonTimeout
	}
	s.recordStep(StepEnd, s.sink)
	s.closeRun(s.run, cmp.Or(k.End.Reason, why))
}

// expireHeld releases the pending events of a sub-agent's stream if it must decide now, which last forces. It reports
// whether it did.
func (s *Stream) expireHeld(last bool) bool {
	if s.run != nil && (s.run.childKey.IsZero() || s.run.ref.Span() == nil) && !last {
		return false
	}
	s.decide = true
	s.release(releaseReady)
	s.decide = false
	if len(s.pending) > 0 && last && !s.awaitsAccount() {
		s.recordStep(StepOld, s.sink)
		s.closeAtEnd(otlp.CloseReasonTimeout)
	}
	return true
}

// writeChild writes the span of a sub-agent in a separate stream, with the call that started it as its parent. If that
// call is unknown, the parent is the run, and the span is marked.
func (s *Stream) writeChild(r *run, why otlp.CloseReason) {
	k := s.linkNow(r)
	a := r.top
	v := s.process.evidenceOf(r, why).Verdict() // its own file shows its end, unless its call shows a better one
	if k.Ended && (v.Outcome == events.OutcomeIncomplete || v.Outcome == events.OutcomeOK) {
		v = k.End.Verdict
	}
	if r.childKey.Task == 0 { // the duration reported later is since the start of the first task
		a.coverDuration(k.End.Took)
	}
	if k.Call != nil && (k.Call.Exported || s.registry.ids.HasSpan(otlp.SpanRef{Trace: r.traceID, Span: k.Call.Span})) {
		if s.settings.ParentSession != "" {
			maker := s.registry.folders.Found(s.settings.folder(s.settings.ParentSession), r.ref, k.Call)
			if maker != nil && maker != s {
				s.followUp.parents = append(s.followUp.parents, maker)
			}
		}
		a.parent, a.name = k.Call.Span, cmp.Or(k.Call.Type, s.registry.links.AgentType(r.childKey), a.name, k.Call.Tool)
		// Its file may continue after the call's result, for milliseconds or for good. For a call that is still open at
		// a shutdown this is unknown.
		a.background = k.Background || !k.Call.Exported || !k.Ended || !k.End.Span.IsZero() && !k.End.Span.Contains(a.span)
	} else {
		a.parent = r.ref.Top
		r.orphan = r.childKey.Agent
		over := r.ref.Span()
		a.background = !r.ref.Exported || over == nil || !over.Contains(a.span)
	}
	s.writeAgent(a, v)
}
