package openai_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/openai"
)

// bodyLines returns bodies of about n bytes: an answer with a text and a call, each half of it.
func bodyLines(n int) [][]byte {
	text := strings.Repeat(`The discount is taken per line, so rounding adds up.\n`, max(1, n/2/54))
	code := strings.Repeat(`\\tsum += price // \\\"cents\\\"\\n`, max(1, n/2/34))
	lines := make([][]byte, max(64, min(2048, 8<<20/n)))
	for i := range lines {
		lines[i] = fmt.Appendf(nil, `{"id":"chatcmpl-%08d","object":"chat.completion","created":1764000171,"model":"gpt-4.1-2025-04-14","choices":[{"index":0,"message":`+
			`{"role":"assistant","content":"%s","refusal":null,"annotations":[],"tool_calls":[{"id":"call_%08d","type":"function","function":{"name":"write_file",`+
			`"arguments":"{\"path\": \"calc.go\", \"content\": \"%s\"}"}}]},"logprobs":null,"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1257,"completion_tokens":117,`+
			`"total_tokens":1374,"prompt_tokens_details":{"cached_tokens":1024}},"system_fingerprint":"fp_69a070f479"}`, i, text, i, code)
	}
	return lines
}

// streamLines returns a streamed answer, repeated many times.
func streamLines(t testing.TB) [][]byte {
	var lines [][]byte
	for range 50 {
		lines = append(lines, parsertest.Lines(t, "../../testdata/openai/openai-stream-tools.sse")...)
	}
	return lines
}

// BenchmarkParse parses bodies of several sizes, and a stream; for comparison, gjson.ForEach iterates over the
// top-level members of the same bytes in the same run.
func BenchmarkParse(b *testing.B) {
	parsertest.Benchmark(b, openai.Name, newSource,
		parsertest.Input{Name: "1KiB", Lines: bodyLines(1 << 10)}, parsertest.Input{Name: "4KiB", Lines: bodyLines(4 << 10)},
		parsertest.Input{Name: "64KiB", Lines: bodyLines(64 << 10)}, parsertest.Input{Name: "stream", Lines: streamLines(b)})
}

// TestBenchmarkBodies checks that the benchmark measures the intended work.
func TestBenchmarkBodies(t *testing.T) {
	lines := bodyLines(1 << 10)
	require.Equal(t, 4*len(lines), parsertest.ParseAll(newSource(), lines), "text, call, usage and end of each")
	require.Equal(t, 7*len(lines), parsertest.WalkAll(lines))
	require.Equal(t, 5*50, parsertest.ParseAll(newSource(), streamLines(t)), "text, two calls, usage and end of each answer")
}
