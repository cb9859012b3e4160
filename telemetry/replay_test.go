package telemetry_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/telemetry"
)

// TestReplay checks what a restart relies on: replaying up to any line and then reading on exports exactly what was
// not exported before.
func TestReplay(t *testing.T) {
	spawn := use(8, "msg3", "a1", "Agent", "Look")
	spawn.Tool.AgentType = "Explore"
	sc := append(parallelTools()[:7:7],
		line(spawn), line(under("a1", use(9, "sub1", "t3", "Read", "y")), under("a1", text(9, "sub1", "Hm."))),
		line(under("a1", result(10, "t3"))), line(result(11, "a1")), line(ended("")),
		line(started()), line(text(20, "msg8", "Second.")), line(ended("")))
	everything := describe(t, sc, 0)
	for position := range len(sc) {
		before := describeUntil(t, sc, position)
		after := describe(t, sc, position)
		assert.Equal(t, everything, append(before, after...), "cut before line %d", position)
	}
}

// TestReplayOfNoise checks the same with random events.
func TestReplayOfNoise(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 2))
		sc := noise(rng)
		position := rng.IntN(len(sc))
		assert.Equal(t, describe(t, sc, 0), append(describeUntil(t, sc, position), describe(t, sc, position)...), "seed %d, cut before line %d", seed, position)
	}
}

// TestReplayIsRemembered: what was replayed and occurs again, as by a writer that repeats part of its history, is not
// exported, as without a restart.
func TestReplayIsRemembered(t *testing.T) {
	said := text(2, "msg1", "Said once.")
	said.ItemID = "item1"
	sc := script{line(started()), line(said), line(use(3, "msg1", "t1", "Read", "a.go")), line(result(4, "t1")), line(said), line(ended(""))}
	const again = 4
	require.Len(t, describeUntil(t, sc, again+1), len(describeUntil(t, sc, again)), "nothing goes out twice")
	for position := range len(sc) {
		assert.Equal(t, describe(t, sc, 0), append(describeUntil(t, sc, position), describe(t, sc, position)...), "cut before line %d", position)
	}
}

func describe(t *testing.T, sc script, position int) []string {
	t.Helper()
	return run(sc, func(i int) bool { return i < position }, len(sc))
}

func describeUntil(t *testing.T, sc script, position int) []string {
	t.Helper()
	return run(sc, func(int) bool { return false }, position)
}

// run applies the first n lines and lists the output, without the end of the stream.
func run(sc script, silent func(i int) bool, n int) []string {
	stream := newRegistry().Open(telemetry.StreamSettings{ID: "f", Agent: claude})
	list := []string{}
	for i, evs := range sc[:n] {
		stream.Feed(telemetry.Line{Offset: int64(i), Replay: silent(i)}, clone(evs))
		var f collected
		f.take(stream.Take())
		for _, s := range f.spans {
			list = append(list, fmt.Sprint("span ", s.Name(), s.SpanID(), s.ParentSpanID(), s.StartTimestamp(), s.EndTimestamp(), s.Attributes().AsRaw()))
		}
		for _, lr := range f.records {
			list = append(list, fmt.Sprint("record ", lr.EventName(), lr.SpanID(), lr.Timestamp(), lr.Attributes().AsRaw()))
		}
	}
	return list
}

// TestRecalledRuns: a later registry knows the runs that a stream owned, even if that stream is not opened again: a
// copy of its run is not exported, but the copy's own run is. The stream itself may be opened and continued.
func TestRecalledRuns(t *testing.T) {
	first := newRegistry().Open(telemetry.StreamSettings{ID: "parent", Agent: claude})
	for i, evs := range parallelTools() {
		first.Feed(telemetry.Line{Offset: int64(i)}, evs)
	}
	state, open := first.State()
	require.False(t, open, "complete")

	names := func(id string, registry *telemetry.Registry) string {
		stream := registry.Open(telemetry.StreamSettings{ID: id, Agent: claude})
		for i, evs := range append(parallelTools(), line(started()), line(text(20, "msg8", "My own.")), line(ended(""))) {
			stream.Feed(telemetry.Line{Offset: int64(i)}, inSession("s2", script{evs})[0])
		}
		var f collected
		f.take(stream.Take())
		return f.names()
	}
	recalling := newRegistry()
	recalling.Recall("parent", &state.Ties)
	assert.Equal(t, "chat m1, invoke_agent claude-code", names("fork", recalling))
	forgetful := names("fork", newRegistry())
	assert.Contains(t, forgetful, "execute_tool Read")
	recalling = newRegistry()
	recalling.Recall("parent", &state.Ties)
	assert.Equal(t, forgetful, names("parent", recalling))
}
