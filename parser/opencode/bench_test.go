package opencode_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/opencode"
)

// benchLine returns a line of about n bytes: a call that read a file, with the text three times, as OpenCode writes
// it. The IDs differ by i, since repetitions are omitted.
func benchLine(n, i int) []byte {
	body := strings.Repeat(`12: func Total(prices ...int) int {\n\tsum := 0 // \"cents\"\n`, max(1, n/3/64))
	return []byte(fmt.Sprintf(`{"type":"tool_use","timestamp":1795812891382,"sessionID":"ses_de136471affeLOdSvebkKsleI0","part":{"type":"tool","tool":"read",`+
		`"callID":"call_%08d","state":{"status":"completed","input":{"filePath":"/home/dev/shop/calc.go"},"output":"%s","metadata":{"preview":"%s","truncated":false,`+
		`"loaded":[],"display":{"type":"file","path":"/home/dev/shop/calc.go","text":"%s","lineStart":1,"lineEnd":14,"totalLines":14,"truncated":false}},`+
		`"title":"calc.go","time":{"start":1795812890995,"end":1795812891231}},"id":"prt_%08d","sessionID":"ses_de136471affeLOdSvebkKsleI0","messageID":"msg_21ec9e457001VYhOVDCUqxV0OC"}}`,
		i, body, body, body, i))
}

// benchRow returns the same call as a row of the database: its column is text within text.
func benchRow(n, i int) []byte {
	var line struct{ Part json.RawMessage }
	if err := json.Unmarshal(benchLine(n, i), &line); err != nil {
		panic(err)
	}
	data, err := json.Marshal(string(line.Part))
	if err != nil {
		panic(err)
	}
	return fmt.Appendf(nil, `{"table":"part","id":"prt_%08d","message_id":"msg_1","session_id":"ses_1","time_created":1795812890995,"time_updated":1795812891231,"data":%s}`, i, data)
}

// manyLines returns enough lines of a size that a parser sees each for the first time.
func manyLines(size int, line func(n, i int) []byte) [][]byte {
	lines := make([][]byte, max(64, min(2048, 8<<20/size)))
	for i := range lines {
		lines[i] = line(size, i)
	}
	return lines
}

// captureLines returns the lines of a real run, repeated many times with new IDs, so that they are not repetitions.
func captureLines(t testing.TB) [][]byte {
	t.Helper()
	capture := bytes.Join(fixture(t, "parity.jsonl", false), []byte("\n"))
	ids := regexp.MustCompile(`(prt_|call_|msg_)........`)
	var lines [][]byte
	for i := range 50 {
		lines = append(lines, bytes.Split(ids.ReplaceAll(capture, fmt.Appendf(nil, "${1}%08x", i)), []byte("\n"))...)
	}
	return lines
}

// BenchmarkParse parses lines of several sizes, and a capture; for comparison, gjson.ForEach iterates over the
// top-level members of the same bytes in the same run.
func BenchmarkParse(b *testing.B) {
	parsertest.Benchmark(b, opencode.Name, newSource,
		parsertest.Input{Name: "1KiB", Lines: manyLines(1<<10, benchLine)}, parsertest.Input{Name: "4KiB", Lines: manyLines(4<<10, benchLine)},
		parsertest.Input{Name: "64KiB", Lines: manyLines(64<<10, benchLine)}, parsertest.Input{Name: "row-4KiB", Lines: manyLines(4<<10, benchRow)},
		parsertest.Input{Name: "capture", Lines: captureLines(b)})
}

// TestBenchmarkBodies checks that the benchmark measures the intended work.
func TestBenchmarkBodies(t *testing.T) {
	lines, rows := manyLines(1<<10, benchLine), manyLines(1<<10, benchRow)
	require.Equal(t, 1+2*len(lines), parsertest.ParseAll(newSource(), lines), "a start, then a call and its result a line")
	require.Equal(t, 2*len(rows), parsertest.ParseAll(newSource(), rows))
	require.Equal(t, 4*len(lines), parsertest.WalkAll(lines))
	require.Equal(t, 7*len(rows), parsertest.WalkAll(rows))
}
