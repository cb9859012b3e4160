package link_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/team"
)

func newRegistry() *link.Registry[string] {
	return link.NewRegistry[string](link.Settings{Known: 100, Members: 10})
}

func run(n byte) *link.Run {
	return &link.Run{RunID: link.RunID{Trace: [16]byte{n}, Top: [8]byte{n}}, Key: fmt.Sprint("run", n), Session: "s", Exported: true}
}

func between(start, end clock.Instant) clock.Interval {
	return clock.Interval{Start: clock.Moment{At: start, Source: clock.SourceCarried}, End: clock.Moment{At: end, Source: clock.SourceCarried}}
}

var (
	failed = outcome.Verdict{Outcome: events.OutcomeError, Reason: otlp.CloseReasonResult, Cause: "x"}

	agent = link.Key{Provider: "p", Session: "s", Agent: "a"}
	turn  = link.Turn{Provider: "p", Session: "s", Turn: "t"}
)

// TestContinuedTurn: a turn that is continued after a pause has several runs, and a sub-agent that begins now belongs to the last one.
func TestContinuedTurn(t *testing.T) {
	r, first, last := newRegistry(), run(1), run(2)
	first.Begun, last.Begun = 1, 2
	r.AnnounceTurn(turn, first)
	require.Same(t, first, r.Await("before", agent, "", turn))
	r.AnnounceTurn(turn, last)
	r.AnnounceTurn(turn, first) // its second account
	assert.Same(t, last, r.Await("after", link.Key{Provider: "p", Session: "s", Agent: "b"}, "", turn))
}

// TestBothOrders checks that the child gets the same links whether it or its parent is read first.
func TestBothOrders(t *testing.T) {
	for _, tt := range []struct {
		name     string
		announce func(*link.Registry[string], *link.Run) []string
		call     bool
	}{
		{"the turn", func(r *link.Registry[string], ref *link.Run) []string { return r.AnnounceTurn(turn, ref) }, false},
		{"the call", func(r *link.Registry[string], ref *link.Run) []string {
			return r.AnnounceCall("parent", agent, ref, &link.Call{Type: "Explore"})
		}, true},
		{"the call of an agent with a session of its own", func(r *link.Registry[string], ref *link.Run) []string {
			return r.AnnounceCall("parent", link.Key{Provider: "p", Session: "other", Agent: "a"}, ref, &link.Call{Type: "Explore"})
		}, true},
	} {
		for _, parentFirst := range []bool{true, false} {
			t.Run(fmt.Sprint(tt.name, ", parent first ", parentFirst), func(t *testing.T) {
				key := agent
				if tt.name == "the call of an agent with a session of its own" {
					key.Session = ""
				}
				r, ref := newRegistry(), run(1)
				if parentFirst {
					assert.Empty(t, tt.announce(r, ref))
				} else {
					require.Nil(t, r.Await("child", key, "", turn))
					assert.False(t, r.Idle())
					assert.Contains(t, tt.announce(r, ref), "child")
				}
				assert.Same(t, ref, r.Await("child", key, "", turn))
				assert.Equal(t, tt.call, r.Lookup(key).Call != nil)
				r.Leave("child", key)
				assert.True(t, r.Idle())
			})
		}
	}
}

// TestEnd checks that the end of a call reaches the stream of its agent once.
func TestEnd(t *testing.T) {
	r, ref := newRegistry(), run(1)
	r.AnnounceCall("parent", agent, ref, &link.Call{})
	r.Await("child", agent, "", link.Turn{})
	r.Background(agent)
	assert.Equal(t, []string{"child"}, r.End(agent, ref, [8]byte{}, link.End{Verdict: failed}))
	assert.Empty(t, r.End(agent, ref, [8]byte{}, link.End{Verdict: outcome.Closed(otlp.CloseReasonResult)}), "the first end counts")
	k := r.Lookup(agent)
	assert.True(t, k.Ended && k.Background && !k.Done)
	assert.Equal(t, events.OutcomeError, k.End.Outcome)
	assert.Equal(t, "parent", r.Done(agent))
	assert.Empty(t, r.Done(agent), "the parent waits for it no more")
	assert.True(t, r.Lookup(agent).Done)
}

// TestAskedAgain checks that a further call of an agent ends the previous task.
func TestAskedAgain(t *testing.T) {
	r, ref := newRegistry(), run(1)
	again := agent
	again.Task = 1
	r.AnnounceCall("parent", agent, ref, &link.Call{Type: "Explore"})
	r.Await("child", agent, "", link.Turn{})
	assert.False(t, r.Lookup(agent).Ended)
	assert.Equal(t, []string{"child"}, r.AnnounceCall("parent", again, ref, &link.Call{}))
	k := r.Lookup(agent)
	assert.True(t, k.Ended)
	assert.Equal(t, events.OutcomeOK, k.End.Outcome)
	assert.Equal(t, "Explore", r.AgentType(again), "the first call has the type")
}

// TestAccounts checks that of two accounts of a call the exported one wins.
func TestAccounts(t *testing.T) {
	r := newRegistry()
	second, first := &link.Call{Type: "second"}, &link.Call{Type: "first", Exported: true}
	for _, call := range []*link.Call{second, first, second} {
		r.AnnounceCall("parent", agent, run(1), call)
	}
	assert.Same(t, first, r.Lookup(agent).Call)
}

// TestTimesOfAnotherCall checks that only the call that started an agent shows the times of that call, whichever shows the end.
func TestTimesOfAnotherCall(t *testing.T) {
	how := link.End{Verdict: failed, Span: between(5, 9)}
	for name, end := range map[string]func(r *link.Registry[string]){
		"another run":  func(r *link.Registry[string]) { r.End(agent, run(2), [8]byte{7}, how) },
		"another call": func(r *link.Registry[string]) { r.End(agent, run(1), [8]byte{8}, how) },
		"no run":       func(r *link.Registry[string]) { r.End(agent, nil, [8]byte{7}, how) },
	} {
		r := newRegistry()
		r.AnnounceCall("parent", agent, run(1), &link.Call{Span: [8]byte{7}, Exported: true})
		end(r)
		assert.Equal(t, link.End{Verdict: failed}, r.Lookup(agent).End, name)
	}
	r := newRegistry()
	r.AnnounceCall("parent", agent, run(1), &link.Call{Span: [8]byte{7}, Exported: true})
	r.End(agent, run(1), [8]byte{7}, how)
	assert.Equal(t, how, r.Lookup(agent).End)
}

// TestGroups checks that the members of a group get what is announced for its ID, before and after they join.
func TestGroups(t *testing.T) {
	r, ref := newRegistry(), r0(run(1))
	group := link.Key{Provider: "p", Session: "s", Agent: "workflow"}
	early, late := link.Key{Provider: "p", Session: "s", Agent: "a1"}, link.Key{Provider: "p", Session: "s", Agent: "a2"}
	require.Nil(t, r.Await("early", early, "workflow", link.Turn{}))
	assert.Equal(t, []string{"early"}, r.AnnounceCall("parent", group, ref, &link.Call{}))
	r.Background(group)
	ref.Team.Group(group.Member())
	assert.True(t, r.Use("p", ref, team.Key{}, 0).Incomplete)
	assert.Equal(t, []string{"early"}, r.End(group, ref, [8]byte{}, link.End{Verdict: outcome.Closed(otlp.CloseReasonKilled)}))
	assert.False(t, r.Use("p", ref, team.Key{}, 0).Incomplete, "its call is over")
	assert.Same(t, ref, r.Await("late", late, "workflow", link.Turn{}))
	for _, key := range []link.Key{early, late} {
		k := r.Lookup(key)
		assert.True(t, k.Ended && k.Background && k.Call != nil, "%v", key)
		assert.Equal(t, otlp.CloseReasonKilled, k.End.Reason)
	}
}

// TestTeam checks that a stream waits for the sub-agents of a run until its span was accepted.
func TestTeam(t *testing.T) {
	r, ref := newRegistry(), r0(run(1))
	ref.Team.Asked(agent.Member(), team.Key{})
	r.AwaitTeam("parent", ref)
	r.AwaitTeam("parent", ref)
	r.AwaitTeam("sibling", ref)
	r.Leave("parent", link.Key{}) // its spans are written later
	assert.Equal(t, []string{"parent", "sibling"}, r.Over(ref, agent, 5, nil))
	assert.Empty(t, r.Over(ref, agent, 5, nil), "nothing new")
	assert.Equal(t, []string{"parent", "sibling"}, r.Over(ref, agent, 6, nil), "they wait until they are released")
	r.ReleaseTeam("sibling", ref, false)
	assert.Equal(t, []string{"parent"}, r.Over(ref, agent, 7, nil))
	r.ReleaseTeam("parent", ref, true)
	assert.True(t, ref.Team.Empty())
}

// TestRestart checks that the stored state of a child gives it the same links in a new process, also through JSON, with one shared reference
// to its run.
func TestRestart(t *testing.T) {
	r, ref := newRegistry(), r0(run(1))
	second := agent
	second.Task = 1
	r.AnnounceCall("parent", agent, ref, &link.Call{Span: [8]byte{7}, Type: "Explore", Exported: true})
	r.AnnounceCall("parent", second, ref, &link.Call{Span: [8]byte{8}, Exported: true})
	r.End(second, ref, [8]byte{8}, link.End{Verdict: failed, Span: between(5, 9), Took: 3})
	ref.End(between(1, 10), true)
	data, err := json.Marshal(r.State(r.Lookup(second)))
	require.NoError(t, err)
	var saved link.Child
	require.NoError(t, json.Unmarshal(data, &saved))

	n := newRegistry()
	n.Restore(&saved)
	opened := n.NewRun(run(1))
	require.Same(t, opened, n.Await("child", second, "", link.Turn{}), "whichever stream comes first")
	k := n.Lookup(second)
	assert.Equal(t, &link.Call{Span: [8]byte{8}, Type: "Explore", Exported: true}, k.Call)
	assert.Equal(t, link.End{Verdict: failed, Span: between(5, 9), Took: 3}, k.End)
	assert.Equal(t, between(1, 10), *opened.Span())
	assert.True(t, opened.HasTotals())
	assert.True(t, n.Lookup(agent).Ended, "the task before is over")
	assert.Same(t, opened, n.Lookup(agent).Run)
	assert.True(t, opened.Team.Empty())
}

// r0 gives a run a team, as NewRun does.
func r0(ref *link.Run) *link.Run { return newRegistry().NewRun(ref) }

// TestStateIsOfNow checks that later changes do not affect a state.
func TestStateIsOfNow(t *testing.T) {
	r, ref := newRegistry(), r0(run(1))
	r.AnnounceCall("parent", agent, ref, &link.Call{})
	state := r.State(r.Lookup(agent))
	ref.End(between(1, 2), false)
	assert.Nil(t, state.Run.Span())
}

// TestLimits checks that the tables are bounded and count evictions.
func TestLimits(t *testing.T) {
	r := link.NewRegistry[string](link.Settings{Known: 3, Members: 10})
	for n := range byte(10) {
		r.Restore(&link.Child{Key: link.Key{Provider: "p", Agent: fmt.Sprint("a", n)}, Run: run(n)})
	}
	newest := r.NewRun(run(9))
	assert.Same(t, r.Lookup(link.Key{Provider: "p", Agent: "a9"}).Run, newest)
	assert.Nil(t, r.Lookup(link.Key{Provider: "p", Agent: "a1"}).Run)
	assert.NotZero(t, r.TakeForgotten())
	assert.Zero(t, r.TakeForgotten())
}

// TestManyAtOnce checks that each child gets its run if streams are read concurrently.
func TestManyAtOnce(t *testing.T) {
	r, ref := link.NewRegistry[int](link.Settings{Known: 10_000, Members: 10}), run(1)
	var all sync.WaitGroup
	var mu sync.Mutex
	found := map[int]bool{}
	note := func(children ...int) {
		mu.Lock()
		defer mu.Unlock()
		for _, child := range children {
			found[child] = true
		}
	}
	const children = 1000
	for i := 1; i <= children; i++ {
		key := link.Key{Provider: "p", Session: "s", Agent: fmt.Sprint(i)}
		all.Go(func() {
			if r.Await(i, key, "", link.Turn{}) != nil {
				note(i)
			}
		})
		all.Go(func() { note(r.AnnounceCall(-1, key, ref, &link.Call{})...) })
	}
	all.Wait()
	assert.Len(t, found, children)
	assert.True(t, r.Idle())
}

// BenchmarkAwait: the cost of a child does not depend on the number of others that wait for the same turn.
func BenchmarkAwait(b *testing.B) {
	r := link.NewRegistry[int](link.Settings{Known: 100_000, Members: 10})
	for i := range 10_000 {
		r.Await(-i-1, link.Key{Agent: fmt.Sprint(i)}, "", turn)
	}
	key := link.Key{Agent: "x"}
	b.ReportAllocs()
	for b.Loop() {
		r.Await(1, key, "", turn)
		r.Leave(1, key)
	}
}
