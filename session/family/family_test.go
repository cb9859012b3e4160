package family_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/exported"
	"github.com/tailspan/tailspan/session/family"
	"github.com/tailspan/tailspan/session/folder"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/session/toolcall"
	"github.com/tailspan/tailspan/session/work"
)

// world has what all streams share.
type world struct {
	links   *link.Registry[string]
	folders *folder.Registry[string]
}

func newWorld() *world {
	return &world{link.NewRegistry[string](link.Settings{Known: 100, Members: 100}), folder.NewRegistry[string](100)}
}

// stream returns the family of a stream; session is that of its parent if its folder shows it.
func (w *world) stream(id, session string) *family.Family[string] {
	seen := exported.NewSeen(exported.NewTable(exported.Limits{IDs: 100, Items: 100}))
	f := family.New(family.Settings[string]{
		Links: w.links, Folders: w.folders, Seen: &seen, Self: id, ParentSession: session, Wait: time.Second,
		Program: &program.Program{Agent: &program.Agent{Provider: "claude", Folders: true}, Recorded: true},
	})
	return &f
}

func at(sec int64) clock.Moment {
	return clock.Moment{At: clock.InstantOf(time.Unix(1_700_000_000+sec, 0)), Source: clock.SourceLine}
}

// run opens a run of session s1.
func (w *world) run(f *family.Family[string]) *work.Run {
	r := &work.Run{}
	r.Key, r.SessionID, r.TraceID = "r1", "s1", otlp.TraceID{1}
	r.Top = &work.Agent{Run: r, SpanID: otlp.SpanID{2}}
	r.Ref = w.links.NewRun(&link.Run{RunID: link.RunID{Trace: r.TraceID, Top: r.Top.SpanID}, Key: r.Key, Session: "s1", Exported: true, Begun: at(0).At})
	f.AnnounceRun(r, at(0))
	return r
}

// call opens a call of a run that starts a sub-agent.
func call(r *work.Run) *work.Call {
	c := &work.Call{Call: toolcall.New(&events.Tool{ID: "t1", Name: "Agent", AgentType: "Explore", Target: "find it"}, 256), Caller: r.Top}
	c.SpanID = otlp.SpanID{7}
	r.Calls.Add(c)
	return c
}

func opening(ev events.DisplayEvent) pending.Events {
	return pending.Events{{Event: ev, At: at(1)}}
}

// TestByID links a sub-agent to its call by its ID, with the parent read after the child.
func TestByID(t *testing.T) {
	w := newWorld()
	parent, child := w.stream("parent", ""), w.stream("child", "")
	waiting := opening(events.DisplayEvent{Kind: events.KindPrompt, SessionID: "s1", AgentID: "a1"})
	key := child.ChildOf(nil, waiting)
	assert.Equal(t, link.Key{Provider: "claude", Session: "s1", Agent: "a1"}, key)
	assert.Nil(t, child.Await(key, waiting))

	r := w.run(parent)
	c := call(r)
	assert.False(t, parent.AnyElsewhere())
	assert.True(t, parent.AwaitsAgents(r), "its call has no result")
	parent.AnnounceAgent(c, "a1")
	assert.Contains(t, parent.TakeWoken().Children, "child")
	assert.Empty(t, parent.TakeWoken())
	ref := child.Await(key, waiting)
	require.NotNil(t, ref)
	assert.Equal(t, r.Ref.RunID, ref.RunID)

	own := &work.Run{}
	own.ChildKey, own.Ref = key, ref
	own.Top = &work.Agent{Run: own}
	known := child.Known(own)
	assert.Equal(t, "Explore", known.Call.Type)
	assert.False(t, known.Over())
	assert.True(t, parent.Lacks(r), "the sub-agent is at work")
	r.Calls.Close(c, 100)
	parent.AnnounceEnd(c, outcome.OfResult(&events.Tool{}, false))
	known = child.Known(own)
	assert.True(t, known.Over())
	child.AnnounceDone(own)
	assert.Equal(t, []string{"parent"}, child.TakeWoken().Parents)
	child.Enter(own, true)
	assert.False(t, parent.Lacks(r))
}

// TestBackground checks that the result of a call which moved its agent to the background does not end the agent, and a notice does.
func TestBackground(t *testing.T) {
	w := newWorld()
	parent := w.stream("parent", "")
	r := w.run(parent)
	c := call(r)
	parent.AnnounceAgent(c, "a1")
	r.Calls.Close(c, 100)
	parent.AnnounceEnd(c, outcome.OfResult(&events.Tool{State: events.ToolStateBackground}, false))
	assert.True(t, parent.AnyElsewhere())
	parent.AnnounceNotice(c, link.End{Verdict: outcome.Closed(otlp.CloseReasonResult)})
	assert.False(t, parent.AnyElsewhere())
}

// TestByFolder links a sub-agent to the run of the session that its folder names.
func TestByFolder(t *testing.T) {
	w := newWorld()
	parent, child := w.stream("parent", ""), w.stream("child", "s1")
	r := w.run(parent)
	child.NoteTask(opening(events.DisplayEvent{Kind: events.KindPrompt, Text: "find it"}))
	assert.Nil(t, child.FolderRun(false), "the session may have a later match")
	parent.AnnounceTime(r, at(2))
	assert.Equal(t, []string{"child"}, parent.TakeWoken().Children)
	assert.Equal(t, r.Ref, child.FolderRun(false))
	assert.Nil(t, w.stream("other", "").FolderRun(true), "its place shows no session")
}

// TestState checks that a child finds its call again after a restart of which its parent's stream is not replayed.
func TestState(t *testing.T) {
	w := newWorld()
	parent := w.stream("parent", "")
	r := w.run(parent)
	parent.AnnounceAgent(call(r), "a1")
	agents, _ := parent.Unseen(r)
	require.Len(t, agents, 1)

	later := newWorld()
	later.links.Restore(&agents[0])
	child := later.stream("child", "")
	waiting := opening(events.DisplayEvent{Kind: events.KindPrompt, SessionID: "s1", AgentID: "a1"})
	ref := child.Await(child.ChildOf(nil, waiting), waiting)
	require.NotNil(t, ref)
	assert.Equal(t, r.Ref.RunID, ref.RunID)
	assert.Equal(t, "a1", child.State(nil).Agent)
	assert.Nil(t, parent.State(nil), "no sub-agent works in it")
}
