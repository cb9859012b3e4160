package family

import (
	"time"

	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/exported"
	"github.com/tailspan/tailspan/session/folder"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/session/work"
)

// Settings describe the stream of a [Family]. S is the caller's handle of a stream.
type Settings[S comparable] struct {
	Links   *link.Registry[S]   // of all streams
	Folders *folder.Registry[S] // of all streams
	Program *program.Program
	Seen    *exported.Seen
	Self    S
	// ParentSession is the session of the sub-agent that works in the stream, if the file's location shows it.
	ParentSession string
	// Group is the agent ID that several sub-agents share, one of which works in the stream, if the file's location shows it.
	Group string
	// Wait is how long a span waits for sub-agents in other streams.
	Wait time.Duration
}

// Family links the runs, calls and sub-agents of one stream to those of others: as an Announcer it is the parent's side, and the rest is the
// side of the sub-agent that works in the stream, if one does.
type Family[S comparable] struct {
	Announcer[S]
	// taskStart is the start of a sub-agent's file, and taskPrompt its first prompt.
	taskStart  clock.Instant
	taskPrompt string
}

// New returns the family of a stream.
func New[S comparable](set Settings[S]) Family[S] {
	return Family[S]{Announcer: Announcer[S]{set: set}}
}

// Child returns the sub-agent that works in the stream, or an empty key.
func (f *Family[S]) Child() link.Key { return f.child }

// HasFolder reports whether the file's location shows the session of the sub-agent that works in the stream.
func (f *Family[S]) HasFolder() bool { return f.set.ParentSession != "" }

// Leave removes a stream that ends from all waiting lists.
func (f *Family[S]) Leave() {
	f.set.Links.Leave(f.set.Self, f.child)
	f.set.Folders.Leave(f.set.Self)
}

// State returns what is known of the sub-agent that works in the stream, or nil. r is the current run.
func (f *Family[S]) State(r *work.Run) *link.Child {
	if f.child.IsZero() {
		return nil
	}
	if !r.IsChild() {
		return f.set.Links.State(f.set.Links.Lookup(f.child))
	}
	k := f.set.Links.Lookup(r.ChildKey)
	if r.Ref.Span() != nil {
		k = f.Known(r) // the run is over, so what the folder shows of the call is final
	}
	if k.Run == nil {
		k.Run = r.Ref // known by its turn alone
	}
	return f.set.Links.State(k)
}

// Unseen returns what the unseen sub-agents of a complete stream need, if they are linked by ID and if they are linked by their folder. r
// is the current run.
func (f *Family[S]) Unseen(r *work.Run) (agents []link.Child, inFolder *folder.State) {
	for _, key := range f.announced {
		if k := f.set.Links.Lookup(key); !k.Done && k.Run != nil {
			agents = append(agents, *f.set.Links.State(k))
		}
	}
	if r != nil && f.set.Program.Agent.Folders {
		inFolder = f.set.Folders.State(f.set.Self, f.folder(r.SessionID))
	}
	return agents, inFolder
}
