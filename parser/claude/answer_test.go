package claude_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
)

// TestAnswersUnderOneMessageID: a proxy that sends one message ID with every answer (issue 13, check 10) merges nothing, and
// the lines of one message stay one answer, even with results of its first calls between them.
func TestAnswersUnderOneMessageID(t *testing.T) {
	n := 0
	line := func(body, more string, input int) string {
		n++
		return fmt.Sprintf(`{"type":"assistant","session_id":"s","uuid":"u%d"%s,"message":{"id":"msg_0","role":"assistant","model":"m","content":[%s],"usage":{"input_tokens":%d,"output_tokens":5}}}`, n, more, body, input)
	}
	text := func(words string) string { return `{"type":"text","text":"` + words + `"}` }
	call := func(id string) string {
		return `{"type":"tool_use","id":"` + id + `","name":"Bash","input":{"command":"` + id + `"}}`
	}
	result := func(id string) string {
		n++
		return fmt.Sprintf(`{"type":"user","session_id":"s","uuid":"u%d","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s","content":"x"}]}}`, n, id)
	}
	prompt := func() string {
		n++
		return fmt.Sprintf(`{"type":"user","session_id":"s","uuid":"u%d","message":{"role":"user","content":"go on"}}`, n)
	}
	start := `{"type":"stream_event","session_id":"s","event":{"type":"message_start","message":{"id":"msg_0","model":"m"}}}`
	for _, tc := range []struct {
		name    string
		lines   []string
		answers []int // of texts and calls
		input   int64
	}{
		{"lines of one message", []string{line(text("a"), "", 10), line(call("1"), "", 10), line(call("2"), "", 10)}, []int{0, 0, 0}, 10},
		{"a result between its calls", []string{line(text("a"), "", 10), line(call("1"), "", 10), result("1"), line(call("2"), "", 10)}, []int{0, 0, 0}, 10},
		{"a text after a result", []string{line(text("a"), "", 10), line(call("1"), "", 10), result("1"), line(text("b"), "", 10)}, []int{0, 0, 1}, 20},
		{"a text after a result, one request", []string{
			line(text("a"), `,"requestId":"r1"`, 10), line(call("1"), `,"requestId":"r1"`, 10), result("1"), line(text("b"), `,"requestId":"r1"`, 10),
		}, []int{0, 0, 0}, 10},
		{"another request", []string{line(call("1"), `,"requestId":"r1"`, 10), result("1"), line(call("2"), `,"requestId":"r2"`, 10)}, []int{0, 1}, 20},
		{"input of another size", []string{line(call("1"), "", 10), result("1"), line(call("2"), "", 30)}, []int{0, 1}, 40},
		{"a prompt", []string{line(call("1"), "", 10), prompt(), line(call("2"), "", 10)}, []int{0, 1}, 20},
		{"the same again after a prompt", []string{line(text("a"), "", 10), prompt(), line(text("a"), "", 10)}, []int{0}, 10},
		{"partial messages", []string{start, line(text("a"), "", 10), start, line(call("1"), "", 10)}, []int{0, 1}, 20},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, answers, input := newSource(), []int{}, int64(0)
			for _, l := range tc.lines {
				for _, ev := range p.ParseEvents([]byte(l)) {
					switch ev.Kind {
					case events.KindText, events.KindToolUse:
						answers = append(answers, ev.Answer)
					case events.KindUsage:
						input += ev.Usage.Tokens.Input
					}
				}
			}
			assert.Equal(t, tc.answers, answers)
			assert.Equal(t, tc.input, input)
		})
	}
}
