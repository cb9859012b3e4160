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

// A sub-agent's stream of its own waits for its parent's: for the run that it belongs to, and then for its call (package link), or
// for what its folder shows of them (package folder).
//
// What a child gives once the parent's line has announced what it waited for is exported with that line: so a line that is
// replayed releases without export, and a line that is not acknowledged has released nothing.

// streamLinks are how a stream is linked to others.
type streamLinks struct {
	child link.Key // the sub-agent that works in the stream, if it is one's
	// taskStart is when the file of a sub-agent began, and taskPrompt what it began with.
	taskStart  clock.Instant
	taskPrompt string
	// announced are the agents that the stream started and whose work may be in streams of their own.
	announced []link.Key
	awaited   *awaited // nil before the first
}

// childOf is the sub-agent that works in this stream. The first event that names one decides for all: a stream that
// begins with another session than a sub-agent's may contain sub-agents' sessions later.
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

// adopt makes the run that was just opened the work of a sub-agent in its parent's run.
func (s *Stream) adopt(key link.Key, ref *link.Run) {
	r := s.run
	r.childKey, r.ref, r.traceID, r.idScope, r.subAgent = key, ref, ref.Trace, ref.Scope, true
	r.key = ref.Key
	r.top.parent = otlp.SpanID{}
	r.top.id = key.Agent
	r.top.name = s.agentName
	r.top.spanID = otlp.NewSpanID(otlp.DomainAgent, s.seen.Nth(&s.seen.Agents, key.Agent), key.Provider, key.Session, "", key.Agent)
	ref.Team.Opened(key.Member())
	if group := s.settings.Group; group != "" {
		ref.Team.Group(team.Key{Agent: group})
	}
	s.standAgent(r, key)
	s.registry.await(waitParent, s)
}

// childKeyOf is the name of the sub-agent whose own stream an event is in; empty for a stream of no sub-agent.
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

// maxTask bounds what is kept of a sub-agent's prompt to find its call, in bytes.
const maxTask = 16 << 10

// noteTask keeps when a sub-agent's file begins, and its prompt, if its folder names its session.
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

// folderRun is the run that the stream belongs to by its folder. Unless it is time to decide, it is nil as long as the
// session may still have another.
func (s *Stream) folderRun(decide bool) *link.Run {
	if s.settings.ParentSession == "" {
		return nil
	}
	run := s.registry.folders.Await(s, s.settings.folder(s.settings.ParentSession), s.links.taskStart, decide)
	if run == nil {
		s.registry.await(waitParent, s)
	}
	return run
}

// linkNow is what is known of the sub-agent that works in the stream; of its call also what the folder shows.
func (s *Stream) linkNow(r *run) link.Child {
	k := s.registry.links.Lookup(r.childKey)
	if k.Call != nil && k.Run != nil && k.Run.RunID != r.ref.RunID {
		k.Call, k.Ended = nil, false // a call of another run can't be above what hangs in this one
	}
	if k.Call == nil && s.settings.ParentSession != "" {
		if c, ok := s.registry.folders.Find(s.settings.folder(s.settings.ParentSession), r.ref, s.links.taskStart, s.links.taskPrompt); ok {
			k.Call, k.Ended, k.End = &c.Call, true, c.End
		}
	}
	return k
}

// settle closes the run of a sub-agent in a stream of its own: its call is over, and the stream has nothing more. Files are read at
// once, so the result of the call may be read before the sub-agent's last lines: what shows no end waits for them ([Stream.expire]),
// unless the file is old.
func (s *Stream) settle() {
	r := s.run
	if r == nil || r.closed || r.childKey.IsZero() || !s.idle || len(r.calls.open) > 0 {
		return
	}
	if !s.endsByItself(r) && !s.isOld(s.registry.settings.Now, s.settings.IdleGap) {
		return
	}
	if k := s.registry.links.Lookup(r.childKey); k.Ended {
		s.suppressed = false // had it been closed before a restart, it would be closed
		s.done(StepEnd, s.sink)
		s.closeRun(r, k.End.Reason)
	}
}

// expire closes the run of a sub-agent that has been quiet since before, although its call is not known or it has calls
// open: its parent is over, so nothing more will come. Nor does it to an old file once all that was there has been read.
//
// One that waits for its run, or for the call that asked it again, gets the best that is known.
func (s *Stream) expire(before time.Time) {
	if s.moved.After(before) {
		return
	}
	last := s.isOld(s.registry.settings.Now, s.settings.IdleGap) && s.idle && s.registry.backlog.quietSince(before)
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
	s.done(StepEnd, s.sink)
	s.closeRun(s.run, cmp.Or(k.End.Reason, why))
}

// expireHeld releases what a sub-agent's stream has pending, where it is time to decide; with last in any case. It reports
// whether it was time.
func (s *Stream) expireHeld(last bool) bool {
	if s.run != nil && (s.run.childKey.IsZero() || s.run.ref.Span() == nil) && !last {
		return false
	}
	s.decide = true
	s.release(releaseReady)
	s.decide = false
	if len(s.pending) > 0 && last && !s.awaitsAccount() {
		s.done(StepOld, s.sink)
		s.closeAtEnd(otlp.CloseReasonTimeout)
	}
	return true
}

// writeChild writes the span of a sub-agent in a stream of its own, under the call that started it. If that call is not
// known it hangs under the run, with a mark.
func (s *Stream) writeChild(r *run, why otlp.CloseReason) {
	k := s.linkNow(r)
	a := r.top
	v := s.process.evidenceOf(r, why).Verdict() // its own file shows its end, unless its call does better
	if k.Ended && (v.Outcome == events.OutcomeIncomplete || v.Outcome == events.OutcomeOK) {
		v = k.End.Verdict
	}
	if r.childKey.Task == 0 { // the time that is reported later is since the first task began
		a.took(k.End.Took)
	}
	if k.Call != nil && (k.Call.Exported || s.registry.ids.HasSpan(otlp.SpanRef{Trace: r.traceID, Span: k.Call.Span})) {
		if s.settings.ParentSession != "" {
			maker := s.registry.folders.Found(s.settings.folder(s.settings.ParentSession), r.ref, k.Call)
			if maker != nil && maker != s {
				s.followUp.lighter = append(s.followUp.lighter, maker)
			}
		}
		a.parent, a.name = k.Call.Span, cmp.Or(k.Call.Type, s.registry.links.AgentType(r.childKey), a.name, k.Call.Tool)
		// Its file may go on after the call's result, by some milliseconds or for good. Nobody knows that yet
		// of a call that is still open when the reading stops.
		a.background = k.Background || !k.Call.Exported || !k.Ended || !k.End.Span.IsZero() && !k.End.Span.Contains(a.span)
	} else {
		a.parent = r.ref.Top
		r.orphan = r.childKey.Agent
		over := r.ref.Span()
		a.background = !r.ref.Exported || over == nil || !over.Contains(a.span)
	}
	s.writeAgent(a, v)
}
