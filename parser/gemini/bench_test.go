package gemini_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/parser/gemini"
	"github.com/tailspan/tailspan/parser/internal/parsertest"
)

// benchLine returns a message of about n bytes with a call and its result, whose text appears twice, as Gemini CLI
// writes it. The IDs differ by i, since repetitions are omitted.
func benchLine(n, i int) []byte {
	body := strings.Repeat(`func Total(prices ...int) int {\n\tsum := 0 // \"cents\"\n`, max(1, n/2/62))
	return []byte(fmt.Sprintf(`{"id":"fcaa589c-0000-4000-8000-%012d","timestamp":"2026-11-27T20:44:32.788Z","type":"gemini","content":"","thoughts":[],`+
		`"tokens":{"input":4700,"output":71,"cached":0,"thoughts":0,"tool":0,"total":4771},"model":"gemini-2.5-pro","toolCalls":[{"id":"read_file__%08d","name":"read_file",`+
		`"args":{"file_path":"calc.go"},"result":[{"functionResponse":{"id":"read_file__%08d","name":"read_file","response":{"output":"%s"}}}],"status":"success",`+
		`"timestamp":"2026-11-27T20:44:32.801Z","resultDisplay":{"fileDiff":"%s","fileName":"calc.go"},"description":"calc.go","displayName":"ReadFile"}]}`, i, i, i, body, body))
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
func captureLines(t testing.TB, name string) [][]byte {
	t.Helper()
	capture, err := os.ReadFile("../../testdata/gemini/" + name)
	require.NoError(t, err)
	ids := regexp.MustCompile(`("id":"|_id":")........`)
	var lines [][]byte
	for i := range 50 {
		again := ids.ReplaceAll(capture, fmt.Appendf(nil, "${1}%08x", i))
		lines = append(lines, bytes.Split(bytes.TrimSpace(again), []byte("\n"))...)
	}
	return lines
}

// BenchmarkParse parses lines of several sizes, and captures; for comparison, gjson.ForEach iterates over the
// top-level members of the same bytes in the same run.
func BenchmarkParse(b *testing.B) {
	parsertest.Benchmark(b, gemini.Name, newSource,
		parsertest.Input{Name: "1KiB", Lines: manyLines(1 << 10)}, parsertest.Input{Name: "4KiB", Lines: manyLines(4 << 10)},
		parsertest.Input{Name: "64KiB", Lines: manyLines(64 << 10)}, parsertest.Input{Name: "session", Lines: captureLines(b, "parallel.session.jsonl")},
		parsertest.Input{Name: "stream", Lines: captureLines(b, "parallel.jsonl")})
}

// TestBenchmarkBodies checks that the benchmark measures the intended work.
func TestBenchmarkBodies(t *testing.T) {
	lines := manyLines(1 << 10)
	require.Equal(t, 3*len(lines), parsertest.ParseAll(newSource(), lines), "a call, its result and its tokens from each line")
	require.Equal(t, 8*len(lines), parsertest.WalkAll(lines))
}
