package team_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/team"
)

// used returns the usage of one model.
func used(tokens int64) (used ledger.ByModel) {
	used.Of("m").AddAll(&ledger.Sum{Tokens: events.Tokens{Output: tokens}})
	return used
}

func never(team.Key) bool { return false }

// outputs returns the sum of the usage of an agent's sub-agents.
func outputs(u team.Use) int64 {
	sum := u.Used.Total()
	return sum.Tokens.Output
}

// TestUse checks that each member counts once, for the agents that it works for.
func TestUse(t *testing.T) {
	x := team.New(10)
	a, b, c, again := team.Key{Agent: "a"}, team.Key{Agent: "b"}, team.Key{Agent: "c"}, team.Key{Agent: "a", Task: 1}
	x.Asked(a, team.Key{})
	x.Opened(b) // its call is read later
	x.Asked(c, a)
	x.Asked(again, team.Key{})
	u := x.Use(team.Key{}, 0, never)
	assert.True(t, u.AtWork && u.Unseen && u.Incomplete && !u.Groups)

	for i, key := range []team.Key{a, b, c, again} {
		assert.True(t, x.Over(key, 100, used(int64(1)<<(4*i))))
		assert.False(t, x.Over(key, 100, used(int64(1)<<(4*i))), "nothing new")
	}
	assert.EqualValues(t, 0x1111, outputs(x.Use(team.Key{}, 0, never)))
	assert.EqualValues(t, 0x100, outputs(x.Use(a, 0, never)), "of those that work for a")
	x.Asked(b, c)
	assert.EqualValues(t, 0x110, outputs(x.Use(a, 0, never)), "at whatever distance")
	assert.False(t, x.Use(team.Key{}, 0, never).Incomplete)

	late := x.Use(team.Key{}, 99, never)
	assert.True(t, late.Incomplete)
	assert.Zero(t, outputs(late), "what is done after the run counts no more")

	x.GoesOn(c)
	u = x.Use(a, 0, never)
	assert.True(t, u.Unseen && u.Incomplete, "it goes on, and no stream of it has begun")
	assert.EqualValues(t, 0x10, outputs(u))
}

// TestPhases checks that work in the run's own stream is left to that stream's ledger.
func TestSilenced(t *testing.T) {
	x, a := team.New(10), team.Key{Agent: "a"}
	x.Asked(a, team.Key{})
	x.Silenced(a)
	x.Over(a, 5, used(1))
	for _, x := range []*team.Team{x, recalled(x, a)} {
		u := x.Use(team.Key{}, 0, never)
		assert.True(t, u.Incomplete, "it may continue")
		assert.EqualValues(t, 1, outputs(u))
		assert.False(t, x.Use(team.Key{}, 0, func(team.Key) bool { return true }).Incomplete, "its call is over")
	}
}

// recalled returns a team that a restart restores from the state of a sub-agent.
func recalled(x *team.Team, of team.Key) *team.Team {
	y := team.New(10)
	for _, task := range x.Tasks(of, true, "") {
		y.Recall(of.Agent, &task)
	}
	return y
}

func TestPhases(t *testing.T) {
	x := team.New(10)
	a := team.Key{Agent: "a"}
	x.Inline(a, false)
	u := x.Use(team.Key{}, 0, never)
	assert.True(t, u.AtWork && u.Incomplete)
	assert.False(t, x.Over(a, 5, used(7)))
	x.GoesOn(a)
	x.Inline(a, true)
	assert.Equal(t, team.Use{}, x.Use(team.Key{}, 0, never))

	call, found := team.Key{Agent: "call/1"}, team.Key{Agent: "b"}
	x.Asked(call, team.Key{})
	assert.True(t, x.Use(team.Key{}, 0, never).Unseen, "the agent that a call started may have a file")
	x.Spawned(found, call)
	x.Over(found, 5, used(3))
	u = x.Use(team.Key{}, 0, never)
	assert.False(t, u.Unseen)
	assert.EqualValues(t, 3, outputs(u))
}

func TestGroups(t *testing.T) {
	x := team.New(10)
	group := team.Key{Agent: "workflow"}
	x.Group(group)
	u := x.Use(team.Key{}, 0, never)
	assert.True(t, u.Groups && u.Incomplete)
	u = x.Use(team.Key{}, 0, func(key team.Key) bool { return key == group })
	assert.True(t, u.Groups && !u.Incomplete, "its call is over")
}

// TestLimit checks that a total without the members over the limit is marked as incomplete.
func TestLimit(t *testing.T) {
	x := team.New(2)
	for i := range 3 {
		key := team.Key{Agent: fmt.Sprint(i)}
		x.Asked(key, team.Key{})
		x.Over(key, 1, used(1))
	}
	u := x.Use(team.Key{}, 0, never)
	assert.EqualValues(t, 2, outputs(u))
	assert.True(t, u.Incomplete)
}

// TestDrop checks that nothing is kept once all spans were accepted.
func TestDrop(t *testing.T) {
	x := team.New(10)
	a := team.Key{Agent: "a"}
	x.Asked(a, team.Key{})
	x.Opened(a)
	before := x.Changes()
	x.Written()
	assert.False(t, x.Empty(), "the span of a is yet to come")
	x.Closed()
	assert.True(t, x.Empty())
	assert.Greater(t, x.Changes(), before)
	x.Asked(team.Key{Agent: "b"}, team.Key{})
	assert.True(t, x.Empty(), "nothing waits for what comes now")
	x.Opened(a)
	x.Asked(team.Key{Agent: "c"}, a)
	x.Over(team.Key{Agent: "c"}, 5, used(1))
	assert.EqualValues(t, 1, outputs(x.Use(a, 0, never)), "the span of a sub-agent that comes late has the total of its own ones")
	x.Closed()
	assert.True(t, x.Empty())
}

// TestRestart checks that stored usage is restored unchanged, also through JSON.
func TestRestart(t *testing.T) {
	x := team.New(10)
	first, second, last := team.Key{Agent: "a"}, team.Key{Agent: "a", Task: 1}, team.Key{Agent: "a", Task: 2}
	x.Asked(first, team.Key{Agent: "maker"})
	x.Over(first, 10, used(1))
	x.Spawned(second, team.Key{Agent: "call/1"})
	x.Over(second, 20, used(2))
	x.Over(last, 30, used(4))
	assert.Len(t, x.Tasks(last, false, ""), 2, "the lines of the last one are replayed")
	data, err := json.Marshal(x.Tasks(last, true, "workflow"))
	require.NoError(t, err)
	var tasks []team.Task
	require.NoError(t, json.Unmarshal(data, &tasks))
	require.Len(t, tasks, 3)

	y := team.New(10)
	for i := range tasks {
		y.Recall("a", &tasks[i])
	}
	assert.EqualValues(t, 7, outputs(y.Use(team.Key{}, 0, never)))
	assert.EqualValues(t, 1, outputs(y.Use(team.Key{Agent: "maker"}, 0, never)))
	assert.True(t, y.Use(team.Key{}, 0, never).Groups)
	assert.Equal(t, tasks, y.Tasks(last, true, "workflow"))
}

// TestManyAtOnce checks that streams that are read concurrently report to one team.
func TestManyAtOnce(t *testing.T) {
	x := team.New(1000)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 100 {
				key := team.Key{Agent: fmt.Sprint(i), Task: j}
				x.Opened(key)
				x.Over(key, 1, used(1))
				x.Use(key, 0, never)
				_ = x.Changes()
			}
		})
	}
	all.Wait()
	assert.EqualValues(t, 800, outputs(x.Use(team.Key{}, 0, never)))
}

// TestUnasked counts the sub-agents with a stream that no call names, also after a restart.
func TestUnasked(t *testing.T) {
	x := team.New(10)
	x.Asked(team.Key{Agent: "a"}, team.Key{})
	x.Opened(team.Key{Agent: "a"})
	x.Opened(team.Key{Agent: "b"})
	x.Inline(team.Key{Agent: "c"}, false)
	assert.Equal(t, 1, x.Use(team.Key{}, 0, never).Unasked)
	x.Over(team.Key{Agent: "b"}, 5, used(1))
	u := x.Use(team.Key{}, 0, never)
	assert.Equal(t, []int{2, 1}, []int{u.Members, u.Unasked})

	again := team.New(10)
	for _, task := range x.Tasks(team.Key{Agent: "b"}, true, "") {
		again.Recall("b", &task)
	}
	assert.Equal(t, 1, again.Use(team.Key{}, 0, never).Unasked)
	x.Asked(team.Key{Agent: "b"}, team.Key{})
	assert.Zero(t, x.Use(team.Key{}, 0, never).Unasked, "its call came later")
}
