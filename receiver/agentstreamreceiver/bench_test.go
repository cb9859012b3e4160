package agentstreamreceiver_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/tailspan/tailspan/internal/transcripttest"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// writeTranscripts writes sessions of a size.
func writeTranscripts(tb testing.TB, dir string, files, size int) {
	tb.Helper()
	for i := range files {
		var session bytes.Buffer
		_, err := transcripttest.Write(&session, uint64(i), size)
		require.NoError(tb, err)
		require.NoError(tb, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.jsonl", i)), session.Bytes(), 0o600))
	}
}

// readTranscripts returns the content of the files of a folder.
func readTranscripts(tb testing.TB, dir string) (data [][]byte) {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	require.NoError(tb, err)
	for _, name := range files {
		file, err := os.ReadFile(name)
		require.NoError(tb, err)
		data = append(data, file)
	}
	return data
}

// countEvents returns how many records lines yield, one per event.
func countEvents(tb testing.TB, data [][]byte) (n int64) {
	tb.Helper()
	for _, file := range data {
		p, err := parser.New(parser.Auto)
		require.NoError(tb, err)
		for line := range bytes.Lines(file) {
			n += int64(len(p.ParseEvents(bytes.TrimSuffix(line, []byte("\n")))))
		}
		n += int64(len(p.Flush()))
	}
	return n
}

// walk iterates over the top-level members of lines with gjson: the baseline of the receiver.
func walk(data [][]byte) (members int) {
	for _, file := range data {
		for line := range bytes.Lines(file) {
			gjson.ParseBytes(line).ForEach(func(_, _ gjson.Result) bool {
				members++
				return true
			})
		}
	}
	return members
}

// tally counts what it receives, and keeps nothing.
type tally struct {
	spans, records atomic.Int64
	enough         int64
	done           chan struct{}
}

// readAll runs a receiver with its defaults over a folder until the given number of records arrived, and returns the counts.
func readAll(tb testing.TB, dir string, records int64) *tally {
	tb.Helper()
	cfg := agentstreamreceiver.NewFactory().CreateDefaultConfig().(*agentstreamreceiver.Config)
	cfg.Stream.Include = []string{filepath.Join(dir, "*.jsonl")}
	cfg.Stream.StartAt = "beginning"
	t := &tally{enough: records, done: make(chan struct{})}
	nextTraces, err := consumer.NewTraces(func(_ context.Context, td ptrace.Traces) error {
		t.spans.Add(int64(td.SpanCount()))
		return nil
	})
	require.NoError(tb, err)
	nextLogs, err := consumer.NewLogs(func(_ context.Context, ld plog.Logs) error {
		n := int64(ld.LogRecordCount())
		if now := t.records.Add(n); now >= t.enough && now-n < t.enough {
			close(t.done)
		}
		return nil
	})
	require.NoError(tb, err)
	factory := agentstreamreceiver.NewFactory()
	set := receivertest.NewNopSettings(factory.Type())
	traces, err := factory.CreateTraces(tb.Context(), set, cfg, nextTraces)
	require.NoError(tb, err)
	logs, err := factory.CreateLogs(tb.Context(), set, cfg, nextLogs)
	require.NoError(tb, err)
	require.NoError(tb, traces.Start(tb.Context(), componenttest.NewNopHost()))
	require.NoError(tb, logs.Start(tb.Context(), componenttest.NewNopHost()))
	select {
	case <-t.done:
	case <-time.After(time.Minute):
		tb.Errorf("%d of %d records after a minute", t.records.Load(), t.enough)
	}
	require.NoError(tb, traces.Shutdown(tb.Context()))
	require.NoError(tb, logs.Shutdown(tb.Context()))
	return t
}

// BenchmarkReceiver reads files to their end: everything from the file to the consumers, with the defaults of a user. gjson
// walks over the same bytes in the same run: "ratio" is the receiver's speed relative to gjson's, by the time of all cores
// together. TAILSPAN_BENCH_DATA names a folder of transcripts to read instead of generated ones.
func BenchmarkReceiver(b *testing.B) {
	dir := os.Getenv("TAILSPAN_BENCH_DATA")
	if dir == "" {
		dir = b.TempDir()
		writeTranscripts(b, dir, 8, 4<<20)
	}
	data := readTranscripts(b, dir)
	size := 0
	for _, file := range data {
		size += len(file)
	}
	records := countEvents(b, data)
	var read, walked time.Duration
	b.SetBytes(int64(size))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		start := cpuTime(b)
		readAll(b, dir, records)
		read += cpuTime(b) - start
		b.StopTimer()
		start = cpuTime(b)
		require.NotZero(b, walk(data))
		walked += cpuTime(b) - start
		b.StartTimer()
		n++
	}
	megabytes := float64(n) * float64(size) / 1e6
	b.ReportMetric(megabytes/read.Seconds(), "MB/cpu-s")
	b.ReportMetric(megabytes/walked.Seconds(), "gjson-MB/s")
	b.ReportMetric(walked.Seconds()/read.Seconds(), "ratio")
}

// TestBenchmarkedReading checks that the benchmark measures all of the work.
func TestBenchmarkedReading(t *testing.T) {
	dir := t.TempDir()
	writeTranscripts(t, dir, 2, 64<<10)
	data := readTranscripts(t, dir)
	got := readAll(t, dir, countEvents(t, data))
	assert.Equal(t, countEvents(t, data)+int64(len(data)), got.records.Load(), "a record an event, and one for the end of each run")
	calls := 0
	for _, file := range data {
		calls += bytes.Count(file, []byte(`"type":"tool_use"`))
	}
	assert.Greater(t, got.spans.Load(), int64(calls), "a span a call, and those of model calls and runs")
}
