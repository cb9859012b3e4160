package qwen_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
)

// TestFailuresBeforeTheLastEndNothing: the program repeats a call that its server failed, up to seven times, with delays of up
// to half a minute (0.24.4). A final refusal is the end.
func TestFailuresBeforeTheLastEndNothing(t *testing.T) {
	report := func(event string, n, status int) string {
		return fmt.Sprintf(`{"uuid":"%s%d","sessionId":"s","version":"0.24.4","type":"system","subtype":"ui_telemetry","systemPayload":{"uiEvent":{"event.name":"qwen-code.%s","response_id":"","error_message":"no","status_code":%d,"input_token_count":%d}}}`, event, n, event, status, n)
	}
	weak := func(lines ...string) (all []bool) {
		for _, e := range ofKind(eventsOf(lines...), events.KindNotice) {
			require.Equal(t, events.OutcomeError, e.Sign.Outcome)
			all = append(all, e.Sign.Weak)
		}
		return all
	}
	var lines []string
	for n := range 7 {
		lines = append(lines, report("api_error", n, 500))
	}
	assert.Equal(t, []bool{true, true, true, true, true, true, false}, weak(lines...))
	assert.Equal(t, []bool{true, true}, weak(report("api_error", 1, 529), report("api_response", 1, 200), report("api_error", 2, 429)))
	assert.Equal(t, []bool{false}, weak(report("api_error", 1, 401)))
}
