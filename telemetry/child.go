package telemetry

import (
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/work"
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

// childOf returns the sub-agent that works in this stream.
func (s *family) childOf(waiting pending.Events) link.Key {
	if s.links.child.IsZero() && s.run == nil {
		s.links.child = waiting.Child(s.settings.Agent.Provider)
	}
	return s.links.child
}

// maxTask bounds the stored part of a sub-agent's prompt, which identifies its call, in bytes.
const maxTask = 16 << 10

// noteTask stores the start and the prompt of a sub-agent's file if its folder names its session.
func (s *family) noteTask(waiting pending.Events) {
	if s.settings.ParentSession == "" {
		return
	}
	s.links.taskStart = waiting[0].At.At
	if prompt, ok := waiting.Prompt(); ok {
		s.links.taskPrompt = prompt[:min(len(prompt), maxTask)]
	}
}

// folderRun returns the run that the stream belongs to by its folder. Unless decide is set, it returns nil as long as
// the session may have a later match.
func (s *family) folderRun(decide bool) *link.Run {
	if s.settings.ParentSession == "" {
		return nil
	}
	decide = decide || s.live && s.registry.settings.Eager
	run := s.registry.folders.Await(s.self, s.settings.folder(s.settings.ParentSession), s.links.taskStart, decide)
	if run == nil {
		s.registry.startTimer(waitParent, s.self)
	}
	return run
}

// linkNow returns what is known of the sub-agent that works in the stream, including what the folder shows of its call.
func (s *family) linkNow(r *work.Run) link.Child {
	k := s.registry.links.Lookup(r.ChildKey)
	if k.Call != nil && k.Run != nil && k.Run.RunID != r.Ref.RunID {
		k.Call, k.Ended = nil, false // the parent call must be in the same run
	}
	if k.Call == nil && s.settings.ParentSession != "" {
		start := r.Course.Place(clock.Moment{At: s.links.taskStart}, clock.Moment{At: r.Course.Begun()}).At
		if c, ok := s.registry.folders.Find(s.settings.folder(s.settings.ParentSession), r.Ref, start, s.links.taskPrompt); ok {
			k.Call, k.Ended, k.End = &c.Call, true, c.End
		}
	}
	return k
}

// placeRun sets the trace of the run and the parent of its top span: from the outer trace, else the pipeline, else the
// session, else the run's own trace. It reports whether the run is alone in its trace.
func (s *family) placeRun(r *work.Run) (alone bool) {
	if outer := s.settings.Parent; !outer.Empty() {
		r.TraceID, r.Top.Parent = outer.TraceID, outer.SpanID
		return false
	}
	counts := r.Standing == account.First && s.links.child.IsZero()
	if parent, ok := s.registry.runStarted(r.Resource, counts); ok {
		r.TraceID, r.Top.Parent, r.InPipeline = parent.Trace, parent.Span, counts
		return false
	}
	if s.registry.settings.TraceBySession && r.SessionID != "" {
		r.TraceID = otlp.NewTraceID(0, s.settings.Agent.Provider, r.SessionID)
		return false
	}
	r.TraceID = r.OwnTrace(s.settings.Agent.Provider)
	return true
}
