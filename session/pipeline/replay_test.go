package pipeline_test

import (
	"bytes"
	"fmt"
	"github.com/tailspan/tailspan/otlp"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/telemetry"
)

// cutsOfCapture is the number of places at which each capture is cut.
const cutsOfCapture = 6

// TestSilentThenLive checks for every capture of every provider what a restart relies on: replaying it up to a line and
// then reading on exports exactly what an uninterrupted stream exports from that line on, with the same IDs.
func TestSilentThenLive(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "*", "*.jsonl"))
	require.NoError(t, err)
	providers := map[string]bool{}
	for _, path := range files {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
		whole := linesGive(t, path, lines, 0)
		rest := 0
		for i := range cutsOfCapture {
			cut := (i + 1) * len(lines) / cutsOfCapture
			silent := linesGive(t, path, lines, cut)
			for at, got := range silent {
				if at < cut {
					assert.Empty(t, got, "%s, cut before line %d: line %d is silent", path, cut, at)
					continue
				}
				assert.Equal(t, whole[at], got, "%s, cut before line %d: what line %d gives", path, cut, at)
				rest += len(got)
			}
		}
		if rest > 0 {
			providers[filepath.Base(filepath.Dir(path))] = true
		}
	}
	for _, name := range []string{"claude", "codex", "gemini", "opencode", "qwen"} {
		assert.True(t, providers[name], "captures of %s contain something after a cut", name)
	}
}

// linesGive returns the output of each line of a stream, the first silent ones of which are replayed, and last the output of its end.
func linesGive(t *testing.T, path string, lines [][]byte, silent int) (all [][]string) {
	t.Helper()
	now := time.Date(2026, 11, 27, 8, 0, 0, 0, time.UTC)
	settings := telemetry.NewDefaultSettings()
	settings.Now = func() time.Time { return now }
	set := pipeline.Settings{Events: pipeline.EventSettings{Provider: "auto"}, Program: "program", Registry: telemetry.NewRegistry(settings)}
	set.Events.Redactor = redactor(t)
	set.Telemetry.ID, set.Telemetry.FileTime = path, now
	s, err := pipeline.New(set)
	require.NoError(t, err)
	offset := int64(0)
	for i, line := range lines {
		s.At = telemetry.Line{Offset: offset, Arrival: now, Replay: i < silent}
		offset += int64(len(line)) + 1
		s.Line(line)
		all = append(all, everythingOf(s))
	}
	s.At.Replay = false
	s.Flush()
	s.Idle()
	s.Close(otlp.CloseReasonShutdown)
	return append(all, everythingOf(s))
}

// everythingOf describes the whole output of a stream.
func everythingOf(s *pipeline.Pipeline) (list []string) {
	for _, out := range s.Take() {
		list = append(list, described(&out)...)
	}
	return list
}

// described describes an output.
func described(out *telemetry.Output) (list []string) {
	for _, rs := range out.Traces.ResourceSpans().All() {
		for _, span := range rs.ScopeSpans().At(0).Spans().All() {
			list = append(list, fmt.Sprint("span ", rs.Resource().Attributes().AsRaw(), span.Name(), span.TraceID(), span.SpanID(), span.ParentSpanID(),
				span.StartTimestamp(), span.EndTimestamp(), span.Status().Code(), span.Status().Message(), span.Attributes().AsRaw()))
		}
	}
	for _, rl := range out.Logs.ResourceLogs().All() {
		for _, lr := range rl.ScopeLogs().At(0).LogRecords().All() {
			list = append(list, fmt.Sprint("record ", rl.Resource().Attributes().AsRaw(), lr.EventName(), lr.TraceID(), lr.SpanID(), lr.Timestamp(),
				lr.SeverityText(), lr.Body().AsString(), lr.Attributes().AsRaw()))
		}
	}
	return list
}
