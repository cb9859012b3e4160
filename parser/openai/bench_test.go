package openai_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/openai"
)

// bodyLines makes bodies of about n bytes: an answer with a text and a call, each half of them.
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

// streamLines is a streamed answer many times over.
func streamLines(t testing.TB) [][]byte {
	var lines [][]byte
	for range 50 {
		lines = append(lines, parsertest.Lines(t, "../../testdata/openai/openai-stream-tools.sse")...)
	}
	return lines
}

// BenchmarkParse parses bodies of several sizes, and a stream, beside gjson.ForEach over the top-level members of the
// same bytes in the same run.
func BenchmarkParse(b *testing.B) {
	inputs := map[string][][]byte{"1KiB": bodyLines(1 << 10), "4KiB": bodyLines(4 << 10), "64KiB": bodyLines(64 << 10), "stream": streamLines(b)}
	for _, name := range []string{"1KiB", "4KiB", "64KiB", "stream"} {
		lines := inputs[name]
		size := int64(len(bytes.Join(lines, nil)))
		b.Run("provider=openai_compatible/line="+name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if parseAll(lines) == 0 {
					b.Fatal("no events")
				}
			}
		})
		b.Run("by=gjson/line="+name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if walkAll(lines) == 0 {
					b.Fatal("no members")
				}
			}
		})
	}
}

// TestBenchmarkBodies runs what the benchmark measures, so that it can't measure wrong work.
func TestBenchmarkBodies(t *testing.T) {
	lines := bodyLines(1 << 10)
	require.Equal(t, 4*len(lines), parseAll(lines), "text, call, usage and end of each")
	require.Equal(t, 7*len(lines), walkAll(lines))
	require.Equal(t, 5*50, parseAll(streamLines(t)), "text, two calls, usage and end of each answer")
}

func parseAll(lines [][]byte) int {
	p, n := openai.New(), 0
	for _, line := range lines {
		n += len(p.ParseEvents(line))
	}
	return n + len(p.Flush())
}

func walkAll(lines [][]byte) int {
	n := 0
	for _, line := range lines {
		gjson.ParseBytes(bytes.TrimPrefix(line, []byte("data: "))).ForEach(func(_, _ gjson.Result) bool {
			n++
			return true
		})
	}
	return n
}
