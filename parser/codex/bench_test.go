package codex_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/parser/codex"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

// benchLine returns a line of about n bytes: a call's end in the form of R4, or every fourth time a message.
func benchLine(n, i int) []byte {
	body := strings.Repeat(`func Total(prices ...int) int {\n\tsum := 0 // \"cents\"\n`, max(1, n/62))
	if i%4 == 0 {
		return fmt.Appendf(nil, `{"timestamp":"2026-11-27T20:51:04.870Z","ordinal":%d,"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"%s"}],"phase":"commentary"}}`, i, body)
	}
	return fmt.Appendf(nil, `{"timestamp":"2026-11-27T20:51:04.870Z","ordinal":%d,"type":"event_msg","payload":{"type":"item_completed","thread_id":"01a21ec6-a5dd-7180-b360-d17c620d5e63","turn_id":"01a21ec6-a602-7923-9965-8856572cd150",`+
		`"item":{"type":"CommandExecution","id":"exec-%08d","process_id":"63","command":["/bin/bash","-lc","go test ./..."],"cwd":"file:///home/dev/codex-shop","parsed_cmd":[{"type":"unknown","cmd":"go test ./..."}],"source":"unified_exec_startup",`+
		`"status":"completed","aggregated_output":"%s","exit_code":0,"duration":{"secs":0,"nanos":7393}},"started_at_ms":1795812654884,"completed_at_ms":1795812654884}}`, i, i, body)
}

// manyLines returns enough lines of a size that a parser sees each for the first time.
func manyLines(size int) [][]byte {
	lines := make([][]byte, max(64, min(2048, 8<<20/size)))
	for i := range lines {
		lines[i] = benchLine(size, i)
	}
	return lines
}

// captureLines returns the lines of real runs, each for a separate parser.
func captureLines(t testing.TB, name string) [][]byte {
	t.Helper()
	return parsertest.Lines(t, "../../testdata/codex/"+name+".jsonl")
}

// BenchmarkParse parses lines of several sizes, and captures; for comparison, gjson.ForEach iterates over the
// top-level members of the same bytes in the same run.
func BenchmarkParse(b *testing.B) {
	parsertest.Benchmark(b, codex.Name, newSource,
		parsertest.Input{Name: "1KiB", Lines: manyLines(1 << 10)}, parsertest.Input{Name: "4KiB", Lines: manyLines(4 << 10)},
		parsertest.Input{Name: "64KiB", Lines: manyLines(64 << 10)}, parsertest.Input{Name: "stream", Lines: captureLines(b, "parallel")},
		parsertest.Input{Name: "rollout", Lines: captureLines(b, "parallel.session")})
}

// TestBenchmarkBodies checks that the benchmark measures the intended work.
func TestBenchmarkBodies(t *testing.T) {
	lines := manyLines(1 << 10)
	require.Equal(t, len(lines)/4+2*len(lines)*3/4, parsertest.ParseAll(newSource(), lines), "a text or a call and its result a line")
	require.Equal(t, 4*len(lines), parsertest.WalkAll(lines))
	require.NotZero(t, parsertest.ParseAll(newSource(), captureLines(t, "parallel")))
}
