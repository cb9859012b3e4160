package family

import (
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/work"
)

// ChildOf returns the sub-agent that works in the stream. The events that begin its first run, if it has none yet, decide.
func (f *Family[S]) ChildOf(current *work.Run, waiting pending.Events) link.Key {
	if f.child.IsZero() && current == nil {
		f.child = waiting.Child(f.set.Program.Agent.Provider)
	}
	return f.child
}

// maxTask bounds the stored part of a sub-agent's prompt, which identifies its call, in bytes.
const maxTask = 16 << 10

// NoteTask stores the start and the prompt of a sub-agent's file if its folder names its session.
func (f *Family[S]) NoteTask(waiting pending.Events) {
	if f.set.ParentSession == "" {
		return
	}
	f.taskStart = waiting[0].At.At
	if prompt, ok := waiting.Prompt(); ok {
		f.taskPrompt = prompt[:min(len(prompt), maxTask)]
	}
}

// FolderRun returns the run that the stream belongs to by its folder. Unless decide is set, it returns nil as long as the session may have a
// later match.
func (f *Family[S]) FolderRun(decide bool) *link.Run {
	if !f.HasFolder() {
		return nil
	}
	return f.set.Folders.Await(f.set.Self, f.folder(f.set.ParentSession), f.taskStart, decide)
}

// Await returns the run of the sub-agent with a key, or nil: then the stream waits for it.
func (f *Family[S]) Await(key link.Key, waiting pending.Events) *link.Run {
	return f.set.Links.Await(f.set.Self, key, f.set.Group, waiting.Turn(f.set.Program.Agent.Provider))
}

// Known returns what is known of the sub-agent that works in the stream, including what the folder shows of its call.
func (f *Family[S]) Known(r *work.Run) link.Child {
	k := f.set.Links.Lookup(r.ChildKey)
	if k.Call != nil && k.Run != nil && k.Run.RunID != r.Ref.RunID {
		k.Call, k.Ended = nil, false // the parent call must be in the same run
	}
	if k.Call == nil && f.set.ParentSession != "" {
		start := r.Course.Place(clock.Moment{At: f.taskStart}, clock.Moment{At: r.Course.Begun()}).At
		if c, ok := f.set.Folders.Find(f.folder(f.set.ParentSession), r.Ref, start, f.taskPrompt); ok {
			k.Call, k.Ended, k.End = &c.Call, true, c.End
		}
	}
	return k
}

// IsStarter reports whether a call in the stream is the one that started its sub-agent. The sub-agent cannot have made it, so
// it is a copy of its parent's.
func (f *Family[S]) IsStarter(c *work.Call) bool {
	r := c.Caller.Run
	if !r.IsChild() {
		return false
	}
	starter := f.set.Links.Lookup(r.ChildKey).Call
	return starter != nil && starter.Span == c.SpanID
}

// AnnounceFound reports that the call of the sub-agent was found, if only its folder shows it.
func (f *Family[S]) AnnounceFound(r *work.Run, call *link.Call) {
	if f.HasFolder() {
		f.notifyParent(f.set.Folders.Found(f.folder(f.set.ParentSession), r.Ref, call))
	}
}

// AnnounceDone reports that the run of the sub-agent is closed.
func (f *Family[S]) AnnounceDone(r *work.Run) { f.notifyParent(f.set.Links.Done(r.ChildKey)) }
