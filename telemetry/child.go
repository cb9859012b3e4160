package telemetry

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/outcome"
)

// childOf is the sub-agent that works in this stream. The first event that names one decides for all: a stream that
// begins with another session than a sub-agent's may contain sub-agents' sessions later.
func (s *Stream) childOf(waiting []pendingEvent) agentKey {
	for i := range waiting {
		if s.links.child != (agentKey{}) || s.run != nil {
			break
		}
		s.links.child = childKeyOf(s.settings.Agent.Provider, &waiting[i].event)
		if waiting[i].event.SessionID != "" {
			break
		}
	}
	return s.links.child
}

func (s *Stream) turnOf(waiting []pendingEvent) turnKey {
	for i := range waiting {
		if ev := &waiting[i].event; ev.TurnID != "" {
			return turnKey{s.settings.Agent.Provider, ev.SessionID, ev.TurnID}
		}
	}
	return turnKey{}
}

// adopt makes the run that was just opened the work of a sub-agent in its parent's run.
func (s *Stream) adopt(key agentKey, ref *runRef) {
	r := s.run
	r.childKey, r.ref, r.traceID, r.idScope, r.subAgent = key, ref, ref.traceID, ref.scope, true
	r.key = ref.key
	r.top.parent = otlp.SpanID{}
	r.top.id = key.agent
	r.top.name = s.agentName
	r.top.spanID = otlp.NewSpanID(otlp.DomainAgent, s.seen.nth(&s.seen.agents, key.agent), key.provider, key.session, "", key.agent)
	s.registry.linkOpened(ref, key)
	if group := s.settings.Group; group != "" {
		s.registry.linkGroup(ref, agentKey{provider: key.provider, agent: group})
	}
	s.standAgent(r, key)
	s.registry.childOpened(s)
}

// announceTurn links a turn to its run.
func (s *Stream) announceTurn(r *run, ev *events.DisplayEvent) {
	if ev.TurnID == "" || ev.TurnID == r.turn || r.subAgent || r.adoptsNobody() {
		return // a sub-agent works in a turn that is its parent's to announce, and history is its owner's
	}
	r.turn = strings.Clone(ev.TurnID)
	s.followUp.notify(s.registry.announceTurn(turnKey{s.settings.Agent.Provider, r.sessionID, r.turn}, r.ref))
}

// announceAgent links an agent to the call that started it.
func (s *Stream) announceAgent(c *call, id string) {
	if id == "" || c.agentID != "" || id == s.links.child.agent {
		return // an agent did not start itself
	}
	c.agentID, c.task = id, int32(s.seen.nth(&s.seen.agents, "asked", id))
	if c.caller.run.adoptsNobody() {
		return
	}
	if c.child == nil { // else its work stands here
		s.registry.linkAgent(c.caller.run.ref, s.keyOf(c), c.caller.run.childKey)
		s.links.announced = append(s.links.announced, s.keyOf(c))
		if drop := len(s.links.announced) - maxState; drop > 0 {
			s.links.announced = slices.Delete(s.links.announced, 0, drop)
		}
	}
	s.followUp.notify(s.registry.announceAgent(s, s.keyOf(c), c.caller.run.ref, newCallRef(c)))
	if c.closed {
		s.endAgent(c, ending{Verdict: outcome.Closed(otlp.CloseReasonResult), span: c.span})
	}
}

// endAgent reports that an agent's work is over. A duplicate account leaves that to the one that exports the call.
func (s *Stream) endAgent(c *call, how ending) {
	if c.agentID != "" && c.exported() {
		s.followUp.notify(s.registry.endAgent(s.keyOf(c), how))
	}
}

// announceEnd reports that the call which started an agent is over.
func (s *Stream) announceEnd(c *call, out outcome.Call) {
	switch {
	case c.agentID == "":
	case out.Background:
		s.registry.inBackground(s.keyOf(c))
	default:
		s.endAgent(c, ending{Verdict: out.Verdict(), span: c.span})
	}
	s.announceSpawningCall(c, out)
}

func (s *Stream) keyOf(c *call) agentKey {
	return agentKey{s.settings.Agent.Provider, c.caller.run.sessionID, c.agentID, int(c.task)}
}

// notify keeps the streams that an announcement concerns, until the line is done.
func (f *followUp) notify(children []*Stream) {
	f.children = append(f.children, children...)
}

// settle closes the run of a sub-agent in a stream of its own: its call is over, and the stream has nothing more.
func (s *Stream) settle() {
	if s.run == nil || s.run.closed || s.run.childKey == (agentKey{}) || !s.idle || len(s.run.calls.open) > 0 {
		return
	}
	if k := s.registry.linkNow(s.run.childKey); k.ended {
		s.suppressed = false // had it been closed before a restart, it would be closed
		s.done(StepEnd, s.sink)
		s.closeRun(s.run, k.ending.Reason)
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
	last := s.isOld() && s.idle && s.registry.backlog.quietSince(before)
	if len(s.pending) > 0 && s.expireHeld(last) || s.run == nil || s.run.closed || s.run.childKey == (agentKey{}) {
		return
	}
	k, why := s.linkNow(s.run), otlp.CloseReasonResult
	switch over := s.registry.linkNow(s.run.childKey).ended || s.run.ref.span.Load() != nil; {
	case !over && !last:
		return
	case !over:
		why = otlp.CloseReasonTimeout
	}
	s.done(StepEnd, s.sink)
	s.closeRun(s.run, cmp.Or(k.ending.Reason, why))
}

// expireHeld releases what a sub-agent's stream has pending, where it is time to decide; with last in any case. It reports
// whether it was time.
func (s *Stream) expireHeld(last bool) bool {
	if s.run != nil && (s.run.childKey == (agentKey{}) || s.run.ref.span.Load() == nil) && !last {
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
	v := s.evidenceOf(r, why).Verdict() // its own file shows its end, unless its call does better
	if k.ended && (v.Outcome == events.OutcomeIncomplete || v.Outcome == events.OutcomeOK) {
		v = k.ending.Verdict
	}
	if r.childKey.task == 0 { // the time that is reported later is since the first task began
		a.took(k.ending.took)
	}
	if k.call != nil && (k.call.exported || s.registry.spanIsOut(r.traceID, k.call.spanID)) {
		if s.settings.ParentSession != "" {
			maker := s.registry.spawningCallFound(sessionKey{s.settings.Agent.Provider, s.settings.ParentSession}, r.ref, k.call)
			if maker != nil && maker != s {
				s.followUp.lighter = append(s.followUp.lighter, maker)
			}
		}
		a.parent, a.name = k.call.spanID, cmp.Or(k.call.agentType, s.registry.agentType(r.childKey), a.name, k.call.toolName)
		// Its file may go on after the call's result, by some milliseconds or for good. Nobody knows that yet
		// of a call that is still open when the reading stops.
		a.background = k.background || !k.call.exported || !k.ended || k.ending.span.Start.Known() && !k.ending.span.Contains(a.span)
	} else {
		a.parent = r.ref.topSpanID
		r.orphan = r.childKey.agent
		over := r.ref.span.Load()
		a.background = !r.ref.exported || over == nil || !over.Contains(a.span)
	}
	s.writeAgent(a, v)
}

// newCallRef is what the sub-agent that a call started needs to know of it.
func newCallRef(c *call) *callRef {
	return &callRef{spanID: c.spanID, agentType: c.agentType, toolName: c.name, exported: c.exported()}
}
