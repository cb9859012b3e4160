package parser_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
)

// sumOf adds up the usage of a stream as spans and summaries do.
func sumOf(t *testing.T, provider string, lines ...string) (events.Usage, []events.DisplayEvent, parser.Stats) {
	t.Helper()
	s := newSource(t, provider)
	var total events.UsageTotal
	var all []events.DisplayEvent
	for _, line := range lines {
		for _, e := range s.ParseEvents([]byte(line)) {
			all = append(all, e)
			if e.Kind == events.KindUsage {
				total.Add(e.Model, e.Usage)
			}
		}
	}
	return total.Sum(), all, s.Stats()
}

// TestImplausibleNumbers passes each provider implausible numbers, before and after a plausible one.
func TestImplausibleNumbers(t *testing.T) {
	claudeResult := func(id, cost, tokens string) string {
		return fmt.Sprintf(`{"type":"result","subtype":"success","is_error":false,"duration_ms":5,"num_turns":1,"result":"x","session_id":"s","uuid":%q,"total_cost_usd":%s,"usage":{"input_tokens":%s,"output_tokens":10}}`, id, cost, tokens)
	}
	claudeState := func(cost string) string {
		return fmt.Sprintf(`{"type":"cost-state","sessionId":"s","totalCostUSD":%s,"modelUsage":{"m":{"inputTokens":5,"costUSD":%[1]s}}}`, cost)
	}
	claudeMessage := func(id, tokens string) string {
		return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"role":"assistant","model":"m","content":[{"type":"text","text":"x"}],"usage":{"input_tokens":%s,"output_tokens":1}},"session_id":"s","uuid":"u%[1]s%[3]d"}`, id, tokens, len(tokens))
	}
	codexCount := func(total string) string {
		return fmt.Sprintf(`{"timestamp":"2026-03-02T12:00:00Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":%s},"last_token_usage":{"input_tokens":20}}}}`, total)
	}
	codexMeta := `{"timestamp":"2026-03-02T12:00:00Z","type":"session_meta","payload":{"id":"b","cli_version":"0.125.0"}}`
	openai := func(id, usage string) string {
		return fmt.Sprintf(`{"id":%q,"object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}],"usage":%s}`, id, usage)
	}
	gemini := func(usage string) string {
		return `{"type":"result","timestamp":"2026-03-02T12:00:00Z","status":"success","stats":` + usage + `}`
	}
	qwen := func(id, usage string) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":%q,"session_id":"s","parent_tool_use_id":null,"message":{"id":%[1]q,"type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"x"}],"usage":%s}}`, id, usage)
	}
	opencode := func(id, cost, input string) string {
		return fmt.Sprintf(`{"type":"step_finish","timestamp":1772452800000,"sessionID":"ses_1","part":{"id":%q,"sessionID":"ses_1","messageID":"msg_1","type":"step-finish","reason":"stop","cost":%s,"tokens":{"input":%s,"output":1,"reasoning":0,"cache":{"read":0,"write":0}}}}`, id, cost, input)
	}
	for _, tc := range []struct {
		name, provider string
		lines          []string
		input          int64
		cost           float64
		want           events.IgnoredNumbers
	}{
		{"infinite cost", "claude", []string{claudeResult("a", "0.5", "1"), claudeResult("b", "1e999", "2"), claudeResult("c", "0.75", "4")}, 7, 0.75, events.IgnoredNumbers{events.NumberCost: 1}},
		{"negative cost", "claude", []string{claudeResult("a", "0.5", "1"), claudeResult("b", "-4", "2")}, 3, 0.5, events.IgnoredNumbers{events.NumberCost: 1}},
		{"absurd cost", "claude", []string{claudeResult("a", "1e300", "1"), claudeResult("b", "0.5", "2")}, 3, 0.5, events.IgnoredNumbers{events.NumberCost: 1}},
		{"cost of a session", "claude", []string{claudeState("0.25"), claudeState("1e300"), claudeState("-1"), claudeState("0.75")}, 0, 0.75, events.IgnoredNumbers{events.NumberCost: 2}},
		{"tokens of a message that come right later", "claude", []string{claudeMessage("m1", "9e18"), claudeMessage("m1", "7")}, 7, 0, events.IgnoredNumbers{events.NumberTokens: 1}},
		{"negative tokens", "claude", []string{claudeMessage("m1", "-5"), claudeMessage("m2", "7")}, 7, 0, events.IgnoredNumbers{events.NumberTokens: 1}},
		{"total of a process", "claude", []string{
			`{"type":"result","subtype":"success","session_id":"s","uuid":"a","modelUsage":{"m":{"inputTokens":5,"outputTokens":1,"costUSD":1}}}`,
			`{"type":"result","subtype":"success","session_id":"s","uuid":"b","modelUsage":{"m":{"inputTokens":6,"outputTokens":1,"costUSD":1e999}}}`,
		}, 5, 1, events.IgnoredNumbers{events.NumberCost: 1}},
		{"total of a thread", "codex", []string{codexMeta, codexCount("100"), codexCount("1e300"), codexCount("-1"), codexCount("120")}, 120, 0, events.IgnoredNumbers{events.NumberTokens: 2}},
		{"answer", "openai_compatible", []string{openai("a", `{"prompt_tokens":-1,"completion_tokens":2,"cost":-3}`), openai("b", `{"prompt_tokens":8,"completion_tokens":2,"cost":1e999}`), openai("c", `{"prompt_tokens":4,"completion_tokens":2,"cost":0.25}`)}, 12, 0.25, events.IgnoredNumbers{events.NumberTokens: 1, events.NumberCost: 2}},
		{"stats", "gemini", []string{gemini(`{"total_tokens":1e300,"input_tokens":1e300,"output_tokens":5,"duration_ms":7}`)}, 0, 0, events.IgnoredNumbers{events.NumberTokens: 1}},
		{"response", "qwen", []string{qwen("a", `{"input_tokens":-9,"output_tokens":1}`), qwen("b", `{"input_tokens":9,"output_tokens":1}`)}, 9, 0, events.IgnoredNumbers{events.NumberTokens: 1}},
		{"step", "opencode", []string{opencode("prt_1", "-1", "5"), opencode("prt_2", "1e999", "-6"), opencode("prt_3", "0.125", "7")}, 12, 0.125, events.IgnoredNumbers{events.NumberTokens: 1, events.NumberCost: 2}},
	} {
		t.Run(tc.provider+"/"+tc.name, func(t *testing.T) {
			sum, all, stats := sumOf(t, tc.provider, tc.lines...)
			require.NotEmpty(t, all)
			assert.Equal(t, tc.input, sum.Tokens.Input)
			assert.InDelta(t, tc.cost, sum.CostUSD, 1e-9)
			assert.Equal(t, tc.want, stats.Numbers)
		})
	}
}

// TestImplausibleDurations checks that durations that are negative or longer than a month are ignored.
func TestImplausibleDurations(t *testing.T) {
	end := func(ms string) string {
		return `{"type":"result","subtype":"success","is_error":false,"duration_ms":` + ms + `,"num_turns":-3,"result":"x","session_id":"s","uuid":"e` + ms + `"}`
	}
	for ms, want := range map[string]time.Duration{"-5": 0, "1e300": 0, "2592000001": 0, "2592000000": events.MaxDuration} {
		_, all, stats := sumOf(t, "claude", end(ms))
		last := all[len(all)-1]
		require.NotNil(t, last.End, ms)
		assert.Equal(t, want, last.End.Duration, ms)
		assert.Zero(t, last.End.Turns)
		assert.Equal(t, want == 0, stats.Numbers[events.NumberDuration] == 1, ms)
		assert.Equal(t, 1, stats.Numbers[events.NumberCount])
	}
}

// TestImplausibleTimes checks that times that OTLP cannot represent are ignored.
func TestImplausibleTimes(t *testing.T) {
	for stamp, want := range map[string]int{"2026-03-02T12:00:00Z": 0, "9999-01-01T00:00:00Z": 1} {
		_, all, stats := sumOf(t, "claude", `{"type":"assistant","timestamp":"`+stamp+`","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"x"}]},"sessionId":"s","uuid":"u"}`)
		require.NotEmpty(t, all)
		assert.Equal(t, want == 1, all[0].Time.IsZero(), stamp)
		assert.Equal(t, want, stats.Numbers[events.NumberTime], stamp)
	}
}
