package parser_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
)

// TestManyElements: parsing a line takes at most some hundred times its size in memory, whatever lists it has. A line with more
// elements than any agent writes is malformed.
func TestManyElements(t *testing.T) {
	const size = 1 << 20
	for _, tc := range []struct {
		name, provider, line, element string
		status                        events.LineStatus
	}{
		{"blocks", "claude", `{"type":"assistant","message":{"id":"m","content":[LIST]}}`, `{}`, events.LineMalformed},
		{"calls", "claude", `{"type":"assistant","message":{"id":"m","content":[LIST]}}`, `{"type":"tool_use"}`, events.LineMalformed},
		{"results", "claude", `{"type":"user","message":{"content":[{"type":"tool_result","content":[LIST]}]}}`, `""`, events.LineMalformed},
		{"long blocks", "claude", `{"type":"assistant","message":{"id":"m","content":[LIST]}}`, `{"type":"text","text":"` + strings.Repeat("x", 300) + `"}`, events.LineOK},
		{"parts", "qwen", `{"type":"assistant","message":{"role":"model","parts":[LIST]}}`, `{}`, events.LineMalformed},
		{"tool calls", "gemini", `{"id":"m","type":"gemini","content":"","toolCalls":[LIST]}`, `{}`, events.LineMalformed},
		{"choices", "openai_compatible", `{"id":"c","object":"chat.completion","choices":[LIST]}`, `{}`, events.LineMalformed},
		{"summaries", "codex", `{"type":"response_item","payload":{"type":"reasoning","id":"r","summary":[LIST]}}`, `{"type":"summary_text","text":"` + strings.Repeat("x", 64) + `"}`, events.LineOK},
	} {
		t.Run(tc.name, func(t *testing.T) {
			n := size / (len(tc.element) + 1)
			line := []byte(strings.Replace(tc.line, "LIST", strings.Repeat(tc.element+",", n-1)+tc.element, 1))
			p, err := parser.New(tc.provider)
			require.NoError(t, err)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			p.ParseEvents(line)
			runtime.ReadMemStats(&after)
			assert.Equal(t, tc.status, p.LineStatus())
			assert.Less(t, (after.TotalAlloc-before.TotalAlloc)/uint64(len(line)), uint64(128), "bytes allocated for a byte of the line")
		})
	}
}
