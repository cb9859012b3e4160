package telemetry // attributesOf is no part of the API, and nothing but the memory shows when it counts too few

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/program"
)

// TestAttributesOf checks that the most frequent records have room for all their attributes: a list that grows is
// copied to one of twice the size.
func TestAttributesOf(t *testing.T) {
	at := time.Date(2026, 11, 27, 8, 0, 0, 0, time.UTC)
	ids := func(kind events.Kind) events.DisplayEvent {
		return events.DisplayEvent{Kind: kind, Time: at, SessionID: "s1", TurnID: "t1", MessageID: "m1", ItemID: kind.String(), Model: "model", ModelProvider: "x"}
	}
	text, reasoning := ids(events.KindText), ids(events.KindReasoning)
	text.Text, reasoning.Text = "a", "b"
	use := ids(events.KindToolUse)
	use.Tool = events.Tool{ID: "c1", Name: "Bash", Target: "make"}
	result := ids(events.KindToolResult)
	result.Tool = events.Tool{
		ID: "c1", Name: "Bash", Error: true, Err: "failed", Summary: "failed", HasExitCode: true, ExitCode: 2,
		HasLines: true, Lines: 3, Size: 40, Truncated: true, Duration: time.Second,
	}
	usage := ids(events.KindUsage)
	usage.Usage = &events.Usage{Tokens: events.Tokens{Input: 3, Output: 2, CacheRead: 1, CacheWrite: 1}, Provider: events.Tokens{Input: 1, Output: 2, CacheRead: 1, CacheWrite: 1}, ServiceTier: "standard"}
	stream := NewRegistry(NewDefaultSettings()).Open(StreamSettings{ID: "f", Agent: program.Agent{Provider: "claude", ServiceName: "claude-code"}})
	for _, ev := range []events.DisplayEvent{text, reasoning, use, result, usage} {
		t.Run(ev.Kind.String(), func(t *testing.T) {
			fed := []events.DisplayEvent{ev}
			stream.Feed(Line{}, fed)
			out := stream.Take()
			require.Equal(t, 1, out.Logs.LogRecordCount())
			got := out.Logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Attributes()
			assert.LessOrEqual(t, got.Len(), otlp.AttributesOf(&fed[0]), got.AsRaw())
		})
	}
}
