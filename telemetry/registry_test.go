package telemetry

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// TestClosedStreamsAreForgotten: whatever a stream was at when it closed, the registry keeps no hold of it. Else a
// receiver that reads files for months would keep them all.
func TestClosedStreamsAreForgotten(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	settings := NewDefaultSettings()
	settings.Now = func() time.Time { return at }
	r := NewRegistry(settings)
	event := func(kind events.Kind, message, agent, turn string) []events.DisplayEvent {
		return []events.DisplayEvent{{Kind: kind, Time: at, SessionID: "s1", MessageID: message, AgentID: agent, TurnID: turn, ItemID: message + agent + turn, Text: "x"}}
	}
	var streams []*Stream
	for i, evs := range [][]events.DisplayEvent{
		event(events.KindText, "msg1", "", "turn1"),     // a run that is watched live
		event(events.KindText, "sub1", "ag1", "turn1"),  // a sub-agent at work
		event(events.KindText, "sub2", "ag2", "turn2"),  // one whose run nobody announced
		event(events.KindPrompt, "", "ag3", ""),         // one that waits for its call
		event(events.KindNotice, "", "", ""),            // a run without a key
		event(events.KindToolUse, "msg9", "", "turn77"), // a call without a result
	} {
		s := r.Open(StreamSettings{ID: fmt.Sprint("f", i), Agent: Agent{Provider: "p"}})
		s.Feed(Line{Live: true, Arrival: at}, evs)
		streams = append(streams, s)
	}
	s := r.Open(StreamSettings{ID: "folder", Agent: Agent{Provider: "p", Folders: true}, ParentSession: "s9"})
	s.Feed(Line{}, event(events.KindText, "sub9", "ag9", "")) // one that waits for the session of its folder
	streams = append(streams, s)
	require.NotEmpty(t, r.children)
	require.NotEmpty(t, r.live)
	require.NotEmpty(t, r.links.waiting)
	for _, s := range streams {
		s.Close(otlp.CloseReasonTruncated)
	}
	assert.Empty(t, r.children)
	assert.Empty(t, r.live)
	assert.Empty(t, r.links.waiting)
	for key, k := range r.links.agents.values {
		assert.Nil(t, k.child, "%v", key)
	}
}

func TestMemory(t *testing.T) {
	forgotten := 0
	m := newMemory[string, int](2, &forgotten)
	m.set("a", 1)
	m.set("b", 2)
	m.set("a", 3)
	assert.Zero(t, forgotten, "a key that is known takes no room")
	m.set("c", 4)
	_, known := m.get("a")
	assert.False(t, known, "the oldest goes first, however often it was set")
	assert.Equal(t, 1, forgotten)
	value, known := m.take("b")
	assert.True(t, known)
	assert.Equal(t, 2, value)
	m.set("d", 5)
	assert.Equal(t, 1, forgotten, "what was taken is not forgotten")
	assert.Len(t, m.values, 2)
}

func TestEmitted(t *testing.T) {
	e := newEmitted(2)
	assert.True(t, e.first(1))
	assert.False(t, e.first(1))
	assert.True(t, e.first(2))
	assert.True(t, e.first(3))
	assert.False(t, e.first(2))
	assert.True(t, e.first(1), "forgotten")
	assert.Len(t, e.parts[0].ring, 2)
	assert.True(t, e.has(1))
	assert.False(t, e.has(2))
	assert.False(t, e.first(0), "taken for 1, since 0 is a free place")
}

// TestEmittedAsMap enters marks that crowd the table, and compares it with a map at each step.
func TestEmittedAsMap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const limit = 1500
	e := newEmitted(limit)
	marks, order := map[uint64]bool{}, []uint64(nil)
	for range 40 * limit {
		mark := random.Uint64N(4096) // neighbours all, and some at the same place
		if random.IntN(2) == 0 {
			mark = mark<<32 | random.Uint64N(64)
		}
		mark++
		require.Equal(t, marks[mark], e.has(mark))
		require.Equal(t, !marks[mark], e.first(mark))
		if !marks[mark] {
			marks[mark] = true
			if order = append(order, mark); len(order) > limit {
				delete(marks, order[0])
				order = order[1:]
			}
		}
	}
	stand := 0
	for _, mark := range e.parts[0].table {
		if mark != 0 {
			stand++
		}
	}
	assert.Equal(t, limit, stand)
	for mark := range marks {
		assert.True(t, e.has(mark))
	}
}

// TestEmittedByMany: each mark is new to one of those who enter it at the same time, and as many are kept as the limit says.
func TestEmittedByMany(t *testing.T) {
	const limit, marks, hands = 8192, 6000, 4
	e := newEmitted(limit)
	require.Greater(t, len(e.parts), 1)
	var firsts atomic.Int64
	var all sync.WaitGroup
	for range hands {
		all.Go(func() {
			for n := range uint64(marks) {
				if e.first((n + 1) * 0x9e3779b97f4a7c15) {
					firsts.Add(1)
				}
			}
		})
	}
	all.Wait()
	assert.EqualValues(t, marks, firsts.Load())
	for n := range uint64(marks) {
		require.True(t, e.has((n+1)*0x9e3779b97f4a7c15))
	}
	for n := uint64(marks); n < 10*limit; n++ {
		require.True(t, e.first((n+1)*0x9e3779b97f4a7c15))
	}
	kept := 0
	for i := range e.parts {
		kept += len(e.parts[i].ring)
	}
	assert.Equal(t, limit, kept)
	for n := uint64(9*limit + limit/10); n < 10*limit; n++ {
		require.True(t, e.has((n+1)*0x9e3779b97f4a7c15), "the oldest are forgotten first, but for a few")
	}
	assert.False(t, e.has(0x9e3779b97f4a7c15))
}

func TestOccurrences(t *testing.T) {
	forgotten := 0
	var o occurrences
	for _, step := range []struct {
		id   string
		want int
	}{{"a", 0}, {"a", 1}, {"b", 0}, {"a", 2}, {"c", 0}, {"a", 0}, {"a", 1}, {"c", 1}} {
		n, forgot := o.next(uint64(step.id[0]), 2)
		assert.Equal(t, step.want, n, step.id)
		if forgot {
			forgotten++
		}
	}
	assert.Equal(t, 2, forgotten, "a for c, then b for a")
	assert.Len(t, o.many.again, 2)
}

// BenchmarkEmitted enters ids that are new, beside a map that does the same without forgetting any.
func BenchmarkEmitted(b *testing.B) {
	b.Run("by=table", func(b *testing.B) {
		e, n := newEmitted(500_000), uint64(0)
		for b.Loop() {
			n++
			e.first(n * 0x9e3779b97f4a7c15)
		}
	})
	b.Run("by=many", func(b *testing.B) {
		e := newEmitted(500_000)
		var next atomic.Uint64
		b.RunParallel(func(pb *testing.PB) {
			for n := next.Add(1 << 32); pb.Next(); n++ {
				e.first(n * 0x9e3779b97f4a7c15)
			}
		})
	})
	b.Run("by=map", func(b *testing.B) {
		m, n := map[uint64]struct{}{}, uint64(0)
		for b.Loop() {
			n++
			if n%500_000 == 0 {
				clear(m)
			}
			m[n*0x9e3779b97f4a7c15] = struct{}{}
		}
	})
}

// TestRestoredRunsAreBounded: a receiver that starts with the states of many sub-agents remembers so many of their runs as
// its limit says, and counts the others.
func TestRestoredRunsAreBounded(t *testing.T) {
	settings := NewDefaultSettings()
	settings.Limits.RememberedIDs = 3
	r := NewRegistry(settings)
	state := func(n byte) *ChildState {
		return &ChildState{Agent: fmt.Sprint("ag", n), Run: &RunState{Key: "k", Trace: pcommon.TraceID{n}, Top: pcommon.SpanID{n}}}
	}
	for n := range byte(10) {
		r.restoreChild(agentKey{provider: "p", agent: fmt.Sprint("ag", n)}, state(n))
	}
	assert.Len(t, r.runsByID.values, 3)
	newest := r.runRef(&runRef{traceID: pcommon.TraceID{9}, topSpanID: pcommon.SpanID{9}})
	assert.Same(t, r.linkNow(agentKey{provider: "p", agent: "ag9"}).run, newest, "both sides have one reference")
	assert.NotZero(t, r.Take().Counts.ForgottenIDs)
}

// BenchmarkRecordID compares what a record needs that does not go out, the mark, with what one needs besides that does.
func BenchmarkRecordID(b *testing.B) {
	e := newEmitted(500_000)
	parts := func() []byte {
		return otlp.AppendParts(make([]byte, 0, 256), otlp.DomainRecord, 0, "claude", "a1b2c3d4-0000-4000-8000-000000000001", "tool_use", "a1b2c3d4-0000-4000-8000-000000000002")
	}
	b.Run("mark", func(b *testing.B) {
		for b.Loop() {
			e.recordMark(parts())
		}
	})
	b.Run("uid", func(b *testing.B) {
		for b.Loop() {
			otlp.UIDOf(parts())
		}
	})
}
