package qwen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/qwen"
)

// benchLines returns lines of about n bytes, alternately a result of a stream and one of a transcript. The IDs differ,
// since repetitions are omitted.
func benchLines(n int) [][]byte {
	body := strings.Repeat(`func Total(prices ...int) int {\n\tsum := 0 // \"cents\"\n`, max(1, n/62))
	lines := make([][]byte, max(64, min(2048, 8<<20/n)))
	for i := range lines {
		if i%2 == 0 {
			lines[i] = fmt.Appendf(nil, `{"type":"user","uuid":"7718ced9-67c9-4183-9967-%012d","session_id":"309851e8-4d93-4f05-9bdd-b54a3c8f7d00","parent_tool_use_id":null,`+
				`"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_%08d","is_error":false,"content":"%s"}]}}`, i, i, body)
			continue
		}
		lines[i] = fmt.Appendf(nil, `{"uuid":"6bbce5ff-935a-40c9-8602-%012d","parentUuid":null,"sessionId":"321e0625-acc8-47c1-b225-335220bd1212","timestamp":"2026-11-27T21:01:00.664Z",`+
			`"type":"tool_result","cwd":"/home/dev/shop","gitBranch":"main","message":{"role":"user","parts":[{"functionResponse":{"id":"call_%08d","name":"read_file",`+
			`"response":{"output":"%s"}}}]},"toolCallResult":{"callId":"call_%08d","status":"success","resultDisplay":""}}`, i, i, body, i)
	}
	return lines
}

// BenchmarkParse parses lines of several sizes; for comparison, gjson.ForEach iterates over the top-level members of
// the same bytes in the same run.
func BenchmarkParse(b *testing.B) {
	parsertest.Benchmark(b, qwen.Name, newSource,
		parsertest.Input{Name: "1KiB", Lines: benchLines(1 << 10)}, parsertest.Input{Name: "4KiB", Lines: benchLines(4 << 10)},
		parsertest.Input{Name: "64KiB", Lines: benchLines(64 << 10)})
}

// TestBenchmarkBodies checks that the benchmark measures the intended work.
func TestBenchmarkBodies(t *testing.T) {
	lines := benchLines(1 << 10)
	require.Equal(t, len(lines), parsertest.ParseAll(newSource(), lines), "one result a line")
	require.Equal(t, (5+9)*len(lines)/2, parsertest.WalkAll(lines))
}
