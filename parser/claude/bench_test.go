package claude_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/parser/claude"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

// benchLine returns a pair of lines of about n bytes in total: a call, and its result with the same text three
// times, as Claude Code writes it. The IDs differ by i, since repetitions are omitted.
func benchLine(n, i int) []byte {
	body := strings.Repeat(`func Total(prices ...int) int {\n\tsum := 0 // \"cents\"\n`, max(1, n/3/62))
	return []byte(fmt.Sprintf(`{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_%08d","type":"tool_result","content":"%s"}]},`+
		`"parent_tool_use_id":null,"session_id":"e54ad106-a87b-483a-925c-32d7ea3021fc","uuid":"838b1308-e083-45fb-8a37-%012d","timestamp":"2026-11-27T20:44:32.788Z",`+
		`"tool_use_result":{"type":"text","file":{"filePath":"/home/dev/shop/calc.go","content":"%s","numLines":16,"startLine":1,"totalLines":16,"originalFile":"%s"}},`+
		`"tool_result_meta":[{"id":"toolu_%08d","permission_decision":{"decision":"accept","source":"config","reason_type":"mode"}}]}`, i, body, i, body, body, i))
}

// manyLines returns enough lines of a size that a parser sees each for the first time.
func manyLines(size int) [][]byte {
	lines := make([][]byte, max(64, min(2048, 8<<20/size)))
	for i := range lines {
		lines[i] = benchLine(size, i)
	}
	return lines
}

// captureLines returns the lines of a real run, repeated many times with new IDs, so that they are not repetitions.
func captureLines(t testing.TB) [][]byte {
	t.Helper()
	capture, err := os.ReadFile("../../testdata/claude/parallel.jsonl")
	require.NoError(t, err)
	ids := regexp.MustCompile(`("uuid":"|toolu_|msg_)........`)
	var lines [][]byte
	for i := range 50 {
		again := ids.ReplaceAll(capture, fmt.Appendf(nil, "${1}%08x", i))
		lines = append(lines, bytes.Split(bytes.TrimSpace(again), []byte("\n"))...)
	}
	return lines
}

// BenchmarkParse parses lines of several sizes, and a capture; for comparison, gjson.ForEach iterates over the
// top-level members of the same bytes in the same run.
func BenchmarkParse(b *testing.B) {
	parsertest.Benchmark(b, claude.Name, newSource,
		parsertest.Input{Name: "1KiB", Lines: manyLines(1 << 10)}, parsertest.Input{Name: "4KiB", Lines: manyLines(4 << 10)},
		parsertest.Input{Name: "64KiB", Lines: manyLines(64 << 10)}, parsertest.Input{Name: "capture", Lines: captureLines(b)})
}

// TestBenchmarkBodies checks that the benchmark measures the intended work.
func TestBenchmarkBodies(t *testing.T) {
	lines := manyLines(1 << 10)
	require.Equal(t, len(lines), parsertest.ParseAll(newSource(), lines), "one result a line")
	require.Equal(t, 8*len(lines), parsertest.WalkAll(lines))
}
