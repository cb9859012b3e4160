package opencode_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
)

// TestStreamBeginsWhenItsFirstMessageWasMade: the first line of a stream comes with the answer, and the ID of its message
// shows when the model was called (1.18.33). An ID of another form shows nothing.
func TestStreamBeginsWhenItsFirstMessageWasMade(t *testing.T) {
	const line = 1795895677702 // 6 s after the creation of the message
	for id, before := range map[string]time.Duration{
		"msg_223b93c20001rZTsMiu18g2qSd": 5862 * time.Millisecond,
		"msg_1":                          0,
		"msg_000000000000rZTsMiu18g2qSd": 0,
		"msg_zzzzzzzzzzzzrZTsMiu18g2qSd": 0,
	} {
		out := newSource().ParseEvents([]byte(`{"type":"step_start","timestamp":1795895677702,"sessionID":"ses_1","part":{"id":"prt_1","messageID":"` + id + `","sessionID":"ses_1","type":"step-start"}}`))
		require.NotEmpty(t, out)
		assert.Equal(t, events.KindSessionStarted, out[0].Kind)
		assert.Equal(t, before, time.UnixMilli(line).Sub(out[0].Time), id)
	}
}
