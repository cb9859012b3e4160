package main

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
)

// TestEventJSONTellsFailures holds that a result and an end tell why they failed and how long they took: their structs
// are embedded, and a name that two of them had would be left out.
func TestEventJSONTellsFailures(t *testing.T) {
	for _, e := range []events.DisplayEvent{
		{Kind: events.KindToolResult, Tool: events.Tool{ID: "c", Error: true, Err: "boom", Duration: 1500 * time.Millisecond}},
		{Kind: events.KindSessionEnded, End: &events.End{Error: true, Err: "boom", Duration: 1500 * time.Millisecond}},
	} {
		data, err := json.Marshal(newEventJSON(&e))
		require.NoError(t, err)
		var got struct {
			Error     bool    `json:"error"`
			ErrorText string  `json:"error_text"`
			Duration  float64 `json:"duration_s"`
		}
		require.NoError(t, json.Unmarshal(data, &got))
		assert.True(t, got.Error, "%s", data)
		assert.Equal(t, "boom", got.ErrorText, "%s", data)
		assert.Equal(t, 1.5, got.Duration, "%s", data)
	}
}
