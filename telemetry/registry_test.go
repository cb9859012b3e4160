package telemetry

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/program"
)

// TestClosedStreamsAreEvicted: the registry keeps no reference to a closed stream, in whatever state that was.
// Otherwise a receiver that reads files for months would keep all of them.
func TestClosedStreamsAreEvicted(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	settings := NewDefaultSettings()
	settings.Now = func() time.Time { return at }
	r := NewRegistry(settings)
	event := func(kind events.Kind, message, agent, turn string) []events.DisplayEvent {
		return []events.DisplayEvent{{Kind: kind, Time: at, SessionID: "s1", MessageID: message, AgentID: agent, TurnID: turn, ItemID: message + agent + turn, Text: "x"}}
	}
	var streams []*Stream
	for i, evs := range [][]events.DisplayEvent{
		event(events.KindText, "msg1", "", "turn1"),     // a live run
		event(events.KindText, "sub1", "ag1", "turn1"),  // an active sub-agent
		event(events.KindText, "sub2", "ag2", "turn2"),  // a sub-agent whose run was not announced
		event(events.KindPrompt, "", "ag3", ""),         // a sub-agent that waits for its call
		event(events.KindNotice, "", "", ""),            // a run without a key
		event(events.KindToolUse, "msg9", "", "turn77"), // a call without a result
	} {
		s := r.Open(StreamSettings{ID: fmt.Sprint("f", i), Agent: program.Agent{Provider: "p"}})
		s.Feed(Line{Live: true, Arrival: at}, evs)
		streams = append(streams, s)
	}
	s := r.Open(StreamSettings{ID: "folder", Agent: program.Agent{Provider: "p", Folders: true}, ParentSession: "s9"})
	s.Feed(Line{}, event(events.KindText, "sub9", "ag9", "")) // a sub-agent that waits for the session of its folder
	streams = append(streams, s)
	require.NotEmpty(t, r.timers.All(waitParent))
	require.NotEmpty(t, r.timers.All(waitProgress))
	require.False(t, r.links.Idle())
	require.False(t, r.folders.Idle())
	for _, s := range streams {
		s.Close(otlp.CloseReasonTruncated)
	}
	assert.Empty(t, r.timers.All(waitParent))
	assert.Empty(t, r.timers.All(waitProgress))
	assert.True(t, r.links.Idle())
	assert.True(t, r.folders.Idle())
	assert.True(t, r.accounts.Idle())
}

// BenchmarkRecordID compares the cost of the mark, which every record needs, with that of the UID, which exported records need.
func BenchmarkRecordID(b *testing.B) {
	e := memory.NewSet(500_000)
	parts := func() []byte {
		return otlp.AppendParts(make([]byte, 0, 256), otlp.DomainRecord, 0, "claude", "a1b2c3d4-0000-4000-8000-000000000001", "tool_use", "a1b2c3d4-0000-4000-8000-000000000002")
	}
	b.Run("mark", func(b *testing.B) {
		for b.Loop() {
			e.Mark(parts())
		}
	})
	b.Run("uid", func(b *testing.B) {
		for b.Loop() {
			otlp.UIDOf(parts())
		}
	})
}
