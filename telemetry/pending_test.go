package telemetry_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/telemetry"
)

// TestPendingBytes: everything that an event holds counts towards the limit of pending bytes; if the limit is exceeded,
// pending events are released and counted.
func TestPendingBytes(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for _, tt := range []struct {
		name  string
		event events.DisplayEvent
	}{
		{"text", events.DisplayEvent{Kind: events.KindNotice, Text: long}},
		{"reasoning", events.DisplayEvent{Kind: events.KindNotice, Reasoning: long}},
		{"target", events.DisplayEvent{Kind: events.KindNotice, Tool: events.Tool{Target: long}}},
		{"input", events.DisplayEvent{Kind: events.KindNotice, Tool: events.Tool{Input: []byte(long)}}},
		{"output", events.DisplayEvent{Kind: events.KindNotice, Tool: events.Tool{Output: []byte(long)}}},
		{"subject", events.DisplayEvent{Kind: events.KindNotice, Approval: &events.Approval{Subject: long}}},
		{"question", events.DisplayEvent{Kind: events.KindNotice, Ask: &events.Ask{Questions: []events.AskQuestion{
			{Header: long[:50_000], Options: []events.AskOption{{Label: long[:25_000], Description: long[:25_000]}}}}}}},
		{"answer", events.DisplayEvent{Kind: events.KindNotice, Ask: &events.Ask{Answers: []events.AskAnswer{{Selected: []string{long}}}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := telemetry.NewDefaultSettings()
			s.Capture.ToolInput, s.Capture.ToolOutput = true, true
			s.Limits.PendingBytes = 1_000_000
			stream := telemetry.NewRegistry(s).Open(telemetry.StreamSettings{ID: "f", Agent: claude})
			released := 0
			for i := range 25 {
				ev := tt.event
				ev.SessionID, ev.ItemID = "s1", fmt.Sprint("n", i) // without a time, and of no run that is known
				stream.Feed(telemetry.Line{Offset: int64(i)}, []events.DisplayEvent{ev})
				out := stream.Take()
				released += out.Logs.LogRecordCount()
				if i < 9 {
					assert.Zero(t, released, "event %d", i)
				} else if i == 9 { // ten events of 100,000 bytes and what they take besides
					assert.Equal(t, 10, released)
					assert.Equal(t, 1, out.Counts.ForcedRuns)
				}
			}
			assert.Equal(t, 20, released, "what waits counts from the last release")
		})
	}
}
