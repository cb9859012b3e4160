package gemini_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/tailspan/tailspan/parser/gemini"
)

// benchLine makes a message of about n bytes with a call and its result, whose text stands there twice, as Gemini CLI
// writes it. The ids differ by i, since a repeat would be left out.
func benchLine(n, i int) []byte {
	body := strings.Repeat(`func Total(prices ...int) int {\n\tsum := 0 // \"cents\"\n`, max(1, n/2/62))
	return []byte(fmt.Sprintf(`{"id":"fcaa589c-0000-4000-8000-%012d","timestamp":"2026-11-27T20:44:32.788Z","type":"gemini","content":"","thoughts":[],`+
		`"tokens":{"input":4700,"output":71,"cached":0,"thoughts":0,"tool":0,"total":4771},"model":"gemini-2.5-pro","toolCalls":[{"id":"read_file__%08d","name":"read_file",`+
		`"args":{"file_path":"calc.go"},"result":[{"functionResponse":{"id":"read_file__%08d","name":"read_file","response":{"output":"%s"}}}],"status":"success",`+
		`"timestamp":"2026-11-27T20:44:32.801Z","resultDisplay":{"fileDiff":"%s","fileName":"calc.go"},"description":"calc.go","displayName":"ReadFile"}]}`, i, i, i, body, body))
}

// manyLines is enough lines of a size that a parser sees each for the first time.
func manyLines(size int) [][]byte {
	lines := make([][]byte, max(64, min(2048, 8<<20/size)))
	for i := range lines {
		lines[i] = benchLine(size, i)
	}
	return lines
}

// captureLines is the lines of a real run many times over, under new ids each time, so that they are no repeats.
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

// BenchmarkParse parses lines of several sizes, and captures, beside gjson.ForEach over the top-level members of the
// same bytes in the same run.
func BenchmarkParse(b *testing.B) {
	inputs := map[string][][]byte{
		"session": captureLines(b, "parallel.session.jsonl"),
		"stream":  captureLines(b, "parallel.jsonl"),
	}
	for _, size := range []int{1 << 10, 4 << 10, 64 << 10} {
		inputs[fmt.Sprintf("%dKiB", size>>10)] = manyLines(size)
	}
	for _, name := range []string{"1KiB", "4KiB", "64KiB", "session", "stream"} {
		lines := inputs[name]
		size := int64(len(bytes.Join(lines, nil)))
		b.Run("provider=gemini/line="+name, func(b *testing.B) {
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
	lines := manyLines(1 << 10)
	require.Equal(t, 3*len(lines), parseAll(lines), "a call, its result and its tokens from each line")
	require.Equal(t, 8*len(lines), walkAll(lines))
}

func parseAll(lines [][]byte) int {
	p, n := gemini.New(), 0
	for _, line := range lines {
		n += len(p.ParseEvents(line))
	}
	return n
}

func walkAll(lines [][]byte) int {
	n := 0
	for _, line := range lines {
		gjson.ParseBytes(line).ForEach(func(_, _ gjson.Result) bool {
			n++
			return true
		})
	}
	return n
}
