package memory

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/text"
)

// TestCallMemory tests unexported state: evictions are not visible elsewhere.
func TestCallMemory(t *testing.T) {
	at := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
	m := callMemory{limit: 2}
	answer := func(result events.Tool) events.Tool {
		m.complete(&result, at.Add(time.Second))
		m.evict(&result)
		return result
	}
	for _, id := range []string{"", "a", "b", "c"} {
		m.remember(&events.DisplayEvent{Tool: events.Tool{ID: id, Name: "read", Target: id}}, at)
	}
	assert.Equal(t, events.Tool{ID: "a"}, answer(events.Tool{ID: "a"}), "the oldest is evicted")
	assert.Equal(t, events.Tool{ID: "b", Name: "read", Target: "b", Duration: time.Second}, answer(events.Tool{ID: "b"}))
	assert.Equal(t, events.Tool{ID: "b"}, answer(events.Tool{ID: "b"}), "an answer is given once")
	result := events.Tool{ID: "c", Name: "Grep", Target: "x", Duration: time.Minute}
	assert.Equal(t, result, answer(result), "the result's own fields win")
	m.remember(&events.DisplayEvent{Tool: events.Tool{ID: "d", Name: "bash"}}, time.Time{})
	assert.Zero(t, answer(events.Tool{ID: "d"}).Duration, "a call without time took nobody knows how long")
	m.remember(&events.DisplayEvent{Tool: events.Tool{ID: "d", Name: "bash"}}, at)
	assert.False(t, m.inBackground(&events.Tool{ID: "d"}))
	m.moveToBackground(&events.Tool{ID: "d"})
	m.moveToBackground(&events.Tool{ID: "never seen"})
	assert.True(t, m.inBackground(&events.Tool{ID: "d"}))
	assert.False(t, m.inBackground(&events.Tool{ID: "never seen"}))
	for range 1000 {
		m.remember(&events.DisplayEvent{Tool: events.Tool{ID: "x", Name: "read"}}, at)
		m.evict(&events.Tool{ID: "x"})
	}
	assert.LessOrEqual(t, len(m.order), 4, "answered calls do not pile up")
}

// TestThreadsAreBounded tests unexported state: what is remembered of sub-agents is not visible elsewhere.
func TestThreadsAreBounded(t *testing.T) {
	n := threads{limit: 3}
	lead := func(parent string) string { return n.leadOf(&events.DisplayEvent{ParentID: parent}) }
	call := func(id, parent string) {
		n.see(&events.DisplayEvent{Kind: events.KindToolUse, ParentID: parent, Tool: events.Tool{ID: id, Name: "Task", AgentType: id}})
	}
	call("a", "")
	call("b", "a")
	call("c", "b")
	assert.Equal(t, []string{"", "  ", "    ", "      "}, []string{lead(""), lead("a"), lead("b"), lead("c")})
	for i := range 100 {
		call(strings.Repeat("x", i+1), strings.Repeat("x", i))
		call(strings.Repeat("y", i+1), "")
		lead(strings.Repeat("y", i+1))
		require.LessOrEqual(t, len(n.byKey), 3)
		require.LessOrEqual(t, len(n.order), 3)
		require.LessOrEqual(t, len(n.names), 4)
		require.LessOrEqual(t, n.open, 3)
	}
	long := strings.Repeat("z", 1<<20)
	call(long, "")
	for key, th := range n.byKey {
		assert.LessOrEqual(t, len(key.call), text.MaxIdentity)
		assert.LessOrEqual(t, len(th.kind), 4*maxThreadName)
	}
	n.see(&events.DisplayEvent{Kind: events.KindSessionEnded})
	assert.Zero(t, n.open)
}
