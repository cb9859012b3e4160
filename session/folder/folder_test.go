package folder_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/folder"
	"github.com/tailspan/tailspan/session/link"
)

var session = folder.Session{Provider: "p", ID: "s"}

func run(n byte) *link.Run { return &link.Run{RunID: link.RunID{Top: [8]byte{n}}} }

// spawn returns a call with a target that was open from start to end.
func spawn(n byte, target string, start, end clock.Instant) folder.Spawn {
	span := clock.Interval{Start: clock.Moment{At: start}, End: clock.Moment{At: end}}
	return folder.Spawn{Call: link.Call{Span: [8]byte{n}}, End: link.End{Span: span}, Target: folder.MarkOf(target)}
}

// TestAwait checks that the run is the one that was active when the child's file began, once no later run can match.
func TestAwait(t *testing.T) {
	r, first, second := folder.NewRegistry[string](10), run(1), run(2)
	require.Nil(t, r.Await("early", session, 15, false))
	r.AnnounceRun(session, first, 10)
	require.Nil(t, r.Await("early", session, 15, false), "a run may begin before 15")
	assert.Same(t, first, r.Await("early", session, 15, true), "it is time to decide")
	require.False(t, r.Idle())
	assert.Equal(t, []string{"early"}, r.AnnounceTime(session, 20))
	assert.Empty(t, r.AnnounceTime(session, 20), "nothing new")
	r.AnnounceRun(session, second, 20)
	r.AnnounceRun(session, second, 5)
	for _, tt := range []struct {
		name string
		at   clock.Instant
		want *link.Run
	}{
		{"before all", 5, first}, {"while the first", 15, first}, {"as the second begins", 20, second},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Same(t, tt.want, r.Await("child", session, tt.at, false)) })
	}
	require.Nil(t, r.Await("child", session, 25, false))
	r.Leave("child")
	assert.True(t, r.Idle())
}

// TestFind checks that the call is the only open one, or the only open one whose target is in the prompt.
func TestFind(t *testing.T) {
	r, ref := folder.NewRegistry[string](10), run(1)
	r.AnnounceRun(session, ref, 1)
	r.AnnounceSpawn("parent", session, ref, spawn(1, "look at a.go", 10, 20))
	r.AnnounceSpawn("parent", session, ref, spawn(2, "look at b.go", 15, 30))
	r.AnnounceSpawn("parent", session, ref, spawn(2, "again", 0, 100))
	for _, tt := range []struct {
		name   string
		at     clock.Instant
		prompt string
		want   byte // 0 if there is none
	}{
		{"one was open", 12, "", 1}, {"at its end", 30, "", 2}, {"none was", 31, "look at a.go", 0},
		{"two were", 17, "", 0}, {"two were, one is named", 17, "Please look at b.go now.", 2},
		{"two were, both are named", 17, "look at a.go, then look at b.go", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, ok := r.Find(session, ref, tt.at, tt.prompt)
			assert.Equal(t, tt.want != 0, ok)
			assert.Equal(t, tt.want, c.Call.Span[0])
		})
	}
	_, ok := r.Find(session, run(9), 12, "")
	assert.False(t, ok, "of another run")
}

// TestRestart checks that the stored state of a session has the same result for its children in a new process, also through JSON.
func TestRestart(t *testing.T) {
	r, ref := folder.NewRegistry[string](10), run(1)
	assert.Nil(t, r.State("parent", session))
	r.AnnounceRun(session, ref, 1)
	r.AnnounceTime(session, 50)
	r.AnnounceSpawn("parent", session, ref, spawn(1, "x", 10, 20))
	assert.Nil(t, r.State("other", session), "no call of that stream has an agent that is missed")
	data, err := json.Marshal(r.State("parent", session))
	require.NoError(t, err)
	assert.Equal(t, "parent", r.Found(session, ref, &link.Call{Span: [8]byte{1}}))
	assert.Empty(t, r.Found(session, ref, &link.Call{Span: [8]byte{1}}), "it was found before")
	assert.Nil(t, r.State("parent", session))

	var saved folder.State
	require.NoError(t, json.Unmarshal(data, &saved))
	n, one := folder.NewRegistry[string](10), run(1)
	for range 2 { // several streams may store it
		n.Restore(&saved, func(*link.Run) *link.Run { return one })
	}
	assert.Same(t, one, n.Await("child", session, 15, false))
	c, ok := n.Find(session, one, 15, "")
	assert.True(t, ok)
	assert.Equal(t, [8]byte{1}, c.Call.Span)
	assert.Empty(t, n.Found(session, one, &c.Call), "its stream need not be open")
}

// TestLimits checks that the tables are bounded and count evictions.
func TestLimits(t *testing.T) {
	r, ref := folder.NewRegistry[string](1), run(1)
	r.AnnounceSpawn("parent", session, ref, spawn(1, "x", 1, 2))
	assert.Zero(t, r.TakeForgotten(), "of no session")
	r.AnnounceRun(session, ref, 1)
	for n := range 300 {
		c := spawn(0, "x", 1, 2)
		c.Call.Span = [8]byte{byte(n), byte(n >> 8), 1}
		r.AnnounceSpawn("parent", session, ref, c)
	}
	assert.Equal(t, 300-256, r.TakeForgotten())
	r.AnnounceRun(folder.Session{ID: "next"}, ref, 1)
	assert.Equal(t, 1, r.TakeForgotten())
	assert.Nil(t, r.Await("child", session, 0, true))
}
