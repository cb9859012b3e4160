package qwen_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
)

// TestResponsesWithOneID: if a server reuses the ID of a response (Ollama numbers them 0 to 998, issue 13), both count, and a
// repeated report counts once.
func TestResponsesWithOneID(t *testing.T) {
	report := func(uuid, at string, input int) string {
		return fmt.Sprintf(`{"uuid":%q,"sessionId":"s","timestamp":%q,"type":"system","subtype":"ui_telemetry","systemPayload":{"uiEvent":{"event.name":"qwen-code.api_response","event.timestamp":%q,"response_id":"chatcmpl-42","model":"m","input_token_count":%d,"output_token_count":5,"prompt_id":"s########0"}}}`, uuid, at, at, input)
	}
	p, input, answers := newSource(), int64(0), []int{}
	for _, line := range []string{
		report("1", "2026-11-01T10:00:00.000Z", 10), report("2", "2026-11-01T10:00:00.000Z", 10), report("3", "2026-11-01T10:00:09.000Z", 30),
	} {
		for _, ev := range p.ParseEvents([]byte(line)) {
			if ev.Kind == events.KindUsage {
				input += ev.Usage.Tokens.Input
				answers = append(answers, ev.Answer)
			}
		}
	}
	assert.EqualValues(t, 40, input)
	assert.Equal(t, []int{0, 1}, answers)
}
