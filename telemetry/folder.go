package telemetry

import (
	"slices"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/outcome"
)

// Some formats link a sub-agent's file to its session by the folder alone ([StreamSettings.ParentSession]). Which run of the
// session it belongs to, and maybe which call, follows from time: the file of a sub-agent begins while its call is open.
//
//	child      waits for                                              gets
//	run        the session to reach a later time than its own         the last run that had begun by then
//	its span   the end of the run                                     the one call that was open when it began, and of
//	                                                                  several that whose target stands in its prompt
//
// An agent id in a result is better evidence and has precedence; the folder is used only where no id comes.

// sessionKey names a session of a provider.
type sessionKey struct{ provider, session string }

// sessionRuns are the runs of a session, for the children that its folder holds.
type sessionRuns struct {
	runs   []*datedRun   // in the order of their announcement
	latest clock.Instant // the newest time in the session
}

// datedRun is a run, when it began, and the calls of it that started agents of unknown id.
type datedRun struct {
	ref      *runRef
	start    clock.Instant
	spawning []spawningCall
}

// starter is a call that started an agent.
type spawningCall struct {
	call   *callRef
	target textMark
	how    ending
	maker  *Stream // the stream that the call is in
	found  bool    // the agent's span hangs under it
}

// at is the run that was at work at a time: the last that had begun, or else the first.
func (s *sessionRuns) at(t clock.Instant) *runRef {
	var best *datedRun
	for _, r := range s.runs {
		switch {
		case best == nil, best.start.After(t) && r.start.Before(best.start):
			best = r
		case !r.start.After(t) && !r.start.Before(best.start):
			best = r
		}
	}
	if best == nil {
		return nil
	}
	return best.ref
}

// of is the entry of a run; nil if it is not known.
func (s *sessionRuns) of(ref *runRef) *datedRun {
	for _, r := range s.runs {
		if r.ref.traceID == ref.traceID && r.ref.topSpanID == ref.topSpanID {
			return r
		}
	}
	return nil
}

// find is the one call that started the agent which began at t with a prompt; nil if there is no single one.
func (r *datedRun) find(t clock.Instant, prompt string) *spawningCall {
	var open, named []*spawningCall
	for i := range r.spawning {
		if c := &r.spawning[i]; !t.Before(c.how.span.Start.At) && !t.After(c.how.span.End.At) {
			if open = append(open, c); c.target.in(prompt) {
				named = append(named, c)
			}
		}
	}
	switch {
	case len(open) == 1:
		return open[0]
	case len(named) == 1:
		return named[0]
	default:
		return nil
	}
}

// holdsChildren reports whether a run may have children that its session's folder links to it. Only the transcript
// stands beside them; the stream of the same session is another account.
func (s *Stream) holdsChildren(r *run) bool {
	return s.settings.Agent.Folders && s.recorded && s.links.child == (agentKey{}) && !r.subAgent && (r.exports() || r.isJoined()) && r.sessionID != ""
}

// announceRun announces a run to the folder's children.
func (s *Stream) announceRun(r *run, at clock.Moment) {
	if s.holdsChildren(r) {
		s.registry.runOfSession(sessionKey{s.settings.Agent.Provider, r.sessionID}, r.ref, at.At)
	}
}

// announceTime announces how far the session has come: what waits for its run's key has not.
func (s *Stream) announceTime() {
	if at := s.clock.Reached(); s.run != nil && at.Known() && s.holdsChildren(s.run) {
		s.followUp.notify(s.registry.sessionAdvanced(sessionKey{s.settings.Agent.Provider, s.run.sessionID}, at.At))
	}
}

// announceSpawningCall announces a call that started an agent, if its result names no id of it.
func (s *Stream) announceSpawningCall(c *call, out outcome.Call) {
	r := c.caller.run
	if c.agentType == "" || c.agentID != "" || c.child != nil || out.Reason != otlp.CloseReasonResult || !s.holdsChildren(r) {
		return
	}
	s.registry.linkAgent(r.ref, spawningLink(s.settings.Agent.Provider, newCallRef(c)), agentKey{})
	s.registry.spawningCallOfSession(sessionKey{s.settings.Agent.Provider, r.sessionID}, r.ref, spawningCall{
		call:  newCallRef(c),
		maker: s, target: markOf(c.target), how: ending{Verdict: out.Verdict(), span: c.span},
	})
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
func (s *Stream) folderRun(decide bool) *runRef {
	if s.settings.ParentSession == "" {
		return nil
	}
	return s.registry.seekSession(s, sessionKey{s.settings.Agent.Provider, s.settings.ParentSession}, s.links.taskStart, decide)
}

// linkNow is what is known of the sub-agent that works in the stream; of its call also what the folder shows.
func (s *Stream) linkNow(r *run) agentLink {
	k := s.registry.linkNow(r.childKey)
	if k.call != nil && k.run != nil && (k.run.traceID != r.ref.traceID || k.run.topSpanID != r.ref.topSpanID) {
		k.call, k.ended = nil, false // a call of another run can't be above what hangs in this one
	}
	if k.call == nil && s.settings.ParentSession != "" {
		if c, ok := s.registry.spawningCallOf(sessionKey{s.settings.Agent.Provider, s.settings.ParentSession}, r.ref, s.links.taskStart, s.links.taskPrompt); ok {
			k.call, k.ended, k.ending = c.call, true, c.how
		}
	}
	return k
}

// runOfSession enters a run.
func (r *Registry) runOfSession(key sessionKey, ref *runRef, start clock.Instant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, known := r.links.sessions.Get(key)
	if !known {
		s = &sessionRuns{}
		r.links.sessions.Set(key, s)
	}
	if s.of(ref) != nil {
		return
	}
	r.runsByID.Set(runID{ref.traceID, ref.topSpanID}, ref) // so that a child that is restored has the same reference
	s.runs = append(s.runs, &datedRun{ref: ref, start: start})
	if drop := len(s.runs) - maxState; drop > 0 {
		r.counts.ForgottenIDs += drop
		s.runs = append(s.runs[:0:0], s.runs[drop:]...)
	}
}

// sessionAdvanced enters a time of a session, and returns the streams that wait for it.
func (r *Registry) sessionAdvanced(key sessionKey, at clock.Instant) []*Stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, known := r.links.sessions.Get(key)
	if !known || !at.After(s.latest) {
		return nil
	}
	s.latest = at
	return r.links.waiting.take(key)
}

// spawningCallOfSession enters a call that started an agent.
func (r *Registry) spawningCallOfSession(key sessionKey, ref *runRef, c spawningCall) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, _ := r.links.sessions.Get(key)
	if s == nil {
		return
	}
	if run := s.of(ref); run != nil && slices.ContainsFunc(run.spawning, func(known spawningCall) bool { return known.call.spanID == c.call.spanID }) {
		return
	} else if run != nil && len(run.spawning) < maxState {
		run.spawning = append(run.spawning, c)
	} else {
		r.counts.ForgottenIDs++
	}
}

// seekSession is the run of a session that was at work at a time; nil while that is not known. The child is remembered
// and notified later.
func (r *Registry) seekSession(child *Stream, key sessionKey, at clock.Instant, decide bool) *runRef {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, known := r.links.sessions.Get(key); known && (decide || !s.latest.Before(at)) {
		if ref := s.at(at); ref != nil {
			return ref
		}
	}
	r.children[child] = struct{}{}
	r.links.waiting.add(key, child)
	return nil
}

// spawningCallFound notes that the span of an agent hangs under the call that its folder names, and returns the stream of that.
func (r *Registry) spawningCallFound(key sessionKey, ref *runRef, call *callRef) *Stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, known := r.links.sessions.Get(key)
	if !known {
		return nil
	}
	if run := s.of(ref); run != nil {
		for i := range run.spawning {
			if c := &run.spawning[i]; c.call.spanID == call.spanID && !c.found {
				c.found = true
				return c.maker
			}
		}
	}
	return nil
}

// spawningCallOf is the call that started an agent of a run, if there is exactly one that can be meant.
func (r *Registry) spawningCallOf(key sessionKey, ref *runRef, at clock.Instant, prompt string) (spawningCall, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, known := r.links.sessions.Get(key); known {
		if run := s.of(ref); run != nil {
			if c := run.find(at, prompt); c != nil {
				return *c, true
			}
		}
	}
	return spawningCall{}, false
}
