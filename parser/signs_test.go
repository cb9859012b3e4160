package parser_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
)

// TestSigns checks what the last line of a transcript shows about the end of its run, by the formats' own evidence.
func TestSigns(t *testing.T) {
	claude := func(content, stop, rest string) string {
		return `{"type":"assistant","sessionId":"s","uuid":"u1","message":{"id":"m1","model":"opus","content":[` + content + `],"stop_reason":` + stop + `}` + rest + `}`
	}
	const (
		said, called = `{"type":"text","text":"Done."}`, `{"type":"tool_use","id":"t1","name":"Bash","input":{}}`
		gemini       = `{"sessionId":"s","startTime":"2026-11-27T20:46:43Z","kind":"main"}`
		qwenCall     = `{"functionCall":{"id":"c1","name":"shell","args":{}}}`
	)
	qwen := func(kind, rest string) string {
		return `{"type":"` + kind + `","sessionId":"s","uuid":"u1",` + rest + `}`
	}
	rollout := func(payload string) string {
		return `{"timestamp":"2026-11-27T20:46:43Z","type":"event_msg","payload":` + payload + `}`
	}
	const answer = `{"timestamp":"2026-11-27T20:46:43Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}}`
	ok, weak := events.Sign{Outcome: events.OutcomeOK}, events.Sign{Outcome: events.OutcomeOK, Weak: true}
	interrupted := events.Sign{Outcome: events.OutcomeInterrupted}
	failed := func(cause events.Cause, call bool) events.Sign {
		return events.Sign{Outcome: events.OutcomeError, Cause: cause, ModelCall: call}
	}
	for _, tt := range []struct {
		name, provider string
		lines          []string
		want           events.Sign
	}{
		{"end of the turn", "claude", []string{claude(said, `"end_turn"`, "")}, ok},
		{"text before a call", "claude", []string{claude(said, `"tool_use"`, "")}, events.Sign{}},
		{"no reason to stop", "claude", []string{claude(said, `null`, "")}, weak},
		{"no reason to stop, and a call", "claude", []string{claude(called, `null`, "")}, events.Sign{}},
		{"cut by the limit of tokens", "claude", []string{claude(said, `"max_tokens"`, "")}, failed(events.CauseMaxOutputTokens, false)},
		{"failed model call", "claude", []string{claude(said, `"stop_sequence"`, `,"isApiErrorMessage":true,"apiErrorStatus":529,"apiErrorType":"overloaded_error","error":"server_error"`)}, failed(events.CauseOverloaded, true)},
		{"limit of turns", "claude", []string{`{"type":"attachment","sessionId":"s","uuid":"u1","attachment":{"type":"max_turns_reached","maxTurns":3}}`}, failed(events.CauseMaxTurns, false)},
		{"stopped by the user", "claude", []string{`{"type":"user","sessionId":"s","uuid":"u1","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}`}, interrupted},
		{"last text", "qwen", []string{qwen("assistant", `"message":{"parts":[{"text":"Done."}]}`)}, ok},
		{"text and a call", "qwen", []string{qwen("assistant", `"message":{"parts":[{"text":"Now."},`+qwenCall+`]}`)}, events.Sign{}},
		{"failed model call", "qwen", []string{qwen("system", `"subtype":"ui_telemetry","systemPayload":{"uiEvent":{"event.name":"qwen-code.api_error","status_code":401,"error_message":"no"}}`)}, failed(events.CauseAuthentication, true)},
		{"last text", "gemini", []string{gemini, `{"id":"1","type":"gemini","content":"First answer.","tokens":{"output":6}}`}, ok},
		{"text with more tokens than it can have", "gemini", []string{gemini, `{"id":"1","type":"gemini","content":"Waiting now.","tokens":{"output":41}}`}, events.Sign{}},
		{"stopped by the user", "gemini", []string{gemini, `{"id":"1","type":"info","content":"Request cancelled."}`}, interrupted},
		{"failure", "gemini", []string{gemini, `{"id":"1","type":"error","content":"[API Error: 429 slow]"}`}, failed(events.CauseRateLimit, false)},
		{"text where no line ends a turn", "codex", []string{answer}, weak},
		{"text where a line ends the turn", "codex", []string{rollout(`{"type":"task_started","turn_id":"1"}`), answer}, events.Sign{}},
	} {
		t.Run(tt.provider+" "+tt.name, func(t *testing.T) {
			src, err := parser.New(tt.provider)
			require.NoError(t, err)
			var last events.DisplayEvent
			for _, line := range tt.lines {
				for _, ev := range src.ParseEvents([]byte(line)) {
					last = ev
				}
			}
			assert.Equal(t, tt.want, last.Sign)
		})
	}
}

// TestCauses checks the causes of end lines that are not successes.
func TestCauses(t *testing.T) {
	for _, tt := range []struct {
		name, provider, line string
		outcome              events.Outcome
		cause                events.Cause
	}{
		{"unauthorized", "claude", `{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","api_error_status":401,"result":"Invalid API key"}`, events.OutcomeError, events.CauseAuthentication},
		{"budget", "claude", `{"type":"result","subtype":"error_max_budget_usd","is_error":true,"terminal_reason":"budget_exhausted"}`, events.OutcomeError, events.CauseBudget},
		{"aborted", "claude", `{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools"}`, events.OutcomeInterrupted, ""},
		{"turn that is over", "claude", `{"type":"system","subtype":"turn_duration","sessionId":"s","durationMs":5}`, events.OutcomeUnknown, ""},
		{"usage limit", "codex", `{"type":"turn.failed","error":{"message":"You've hit your usage limit."}}`, events.OutcomeError, events.CauseRateLimit},
		{"connection", "codex", `{"timestamp":"2026-11-27T20:46:43Z","type":"event_msg","payload":{"type":"task_complete","error":{"message":"x","codex_error_info":{"http_connection_failed":{"http_status_code":500}}}}}`, events.OutcomeError, events.CauseServerError},
		{"no answer and no word for why", "codex", `{"timestamp":"2026-11-27T20:46:43Z","type":"event_msg","payload":{"type":"task_complete","last_agent_message":null}}`, events.OutcomeError, events.CauseOther},
		{"cancelled", "gemini", `{"type":"result","status":"error","error":{"type":"FatalCancellationError","message":"x"}}`, events.OutcomeInterrupted, ""},
		{"status in the text", "gemini", `{"type":"result","status":"error","error":{"type":"unknown","message":"[API Error: {\"error\":{\"code\":400}}]"}}`, events.OutcomeError, events.CauseInvalidRequest},
		{"error under success", "qwen", `{"type":"result","subtype":"success","is_error":true,"result":"[API Error: 401 no]"}`, events.OutcomeError, events.CauseAuthentication},
		{"cancelled", "qwen", `{"type":"result","subtype":"error_during_execution","is_error":true,"error":{"message":"[Operation Cancelled] x"}}`, events.OutcomeInterrupted, ""},
	} {
		t.Run(tt.provider+" "+tt.name, func(t *testing.T) {
			src, err := parser.New(tt.provider)
			require.NoError(t, err)
			evs := src.ParseEvents([]byte(tt.line))
			require.NotEmpty(t, evs)
			end := evs[len(evs)-1].End
			require.NotNil(t, end)
			assert.Equal(t, tt.outcome, end.Outcome())
			assert.Equal(t, tt.cause, end.Cause)
		})
	}
}
