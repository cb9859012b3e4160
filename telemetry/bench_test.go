package telemetry_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/telemetry"
)

// benchTurns is the number of model messages in a benchmark's run, each with a call and its result.
const benchTurns = 200

// longRun returns a typical run: in each turn a text, usage, a call and its result.
func longRun(n int) script {
	sc := script{line(started())}
	for turn := range benchTurns {
		sec := float64(turn)
		message, call := fmt.Sprintf("msg_%d_%d", n, turn), fmt.Sprintf("toolu_%d_%d", n, turn)
		tokens := events.DisplayEvent{
			Kind: events.KindUsage, Time: at(sec), SessionID: "s1", MessageID: message, Model: "m1", ItemID: message + "-usage",
			Usage: &events.Usage{Tokens: events.Tokens{Input: 4000, Output: 120, CacheRead: 3000}, Provider: events.Tokens{Input: 1000, Output: 120, CacheRead: 3000}},
		}
		sc = append(sc,
			line(text(sec, message, "Let me look at the file that the test names."), tokens),
			line(use(sec+0.1, message, call, "Read", "/home/dev/shop/internal/tax/tax.go")),
			line(result(sec+0.5, call)))
	}
	return append(sc, line(ended("")))
}

func countEvents(sc script) int {
	n := 0
	for _, evs := range sc {
		n += len(evs)
	}
	return n
}

// applyRuns feeds scripts one after another to one stream and takes the output after every line or after every ninth,
// like a receiver that reads several lines at once.
func applyRuns(stream *telemetry.Stream, sc script, linesEach int) (spans, records int) {
	for i, evs := range sc {
		stream.Feed(telemetry.Line{Offset: int64(i) * 400}, evs)
		if i%linesEach == 0 || i == len(sc)-1 {
			out := stream.Take()
			spans += out.Traces.SpanCount()
			records += out.Logs.LogRecordCount()
		}
	}
	return spans, records
}

// BenchmarkApply applies typical runs; the figures are per event.
func BenchmarkApply(b *testing.B) {
	for _, linesEach := range []int{1, 9, 1000} {
		b.Run(fmt.Sprintf("lines=%d", linesEach), func(b *testing.B) {
			benchmarkRuns(b, func(stream *telemetry.Stream, sc script) {
				applyRuns(stream, sc, linesEach)
				stream.Close(otlp.CloseReasonShutdown)
			})
		})
	}
}

// BenchmarkReplay replays typical runs, as after a restart; the figures are per event.
func BenchmarkReplay(b *testing.B) { benchmarkRuns(b, replayRuns) }

// benchmarkRuns applies each run in a separate stream and session.
func benchmarkRuns(b *testing.B, collect func(*telemetry.Stream, script)) {
	b.Helper()
	registry := newRegistry()
	var scripts []script
	for n := range 8 {
		scripts = append(scripts, longRun(n))
	}
	perRun := countEvents(scripts[0])
	b.ReportAllocs()
	begin, n := time.Now(), 0
	for b.Loop() {
		agent := program.Agent{Provider: fmt.Sprint("claude", n), ServiceName: "claude-code", System: "anthropic"}
		collect(registry.Open(telemetry.StreamSettings{ID: fmt.Sprint("f", n), Agent: agent}), scripts[n%len(scripts)])
		n++
	}
	b.ReportMetric(float64(n*perRun)/time.Since(begin).Seconds(), "events/s")
}

// replayRuns replays a run, which exports nothing.
func replayRuns(stream *telemetry.Stream, sc script) {
	for i, evs := range sc {
		stream.Feed(telemetry.Line{Offset: int64(i) * 400, Replay: true}, evs)
	}
}

// TestBenchmarkedRun checks that the benchmarked runs are exported completely, or not at all.
func TestBenchmarkedRun(t *testing.T) {
	sc := longRun(0)
	spans, records := applyRuns(newRegistry().Open(telemetry.StreamSettings{ID: "f", Agent: claude}), sc, 9)
	assert.Equal(t, 2*benchTurns+1, spans, "a model call and a tool call a turn, and the run")
	assert.Equal(t, countEvents(sc), records)
	silent := newRegistry().Open(telemetry.StreamSettings{ID: "f", Agent: claude})
	replayRuns(silent, longRun(0))
	out := silent.Take()
	assert.Zero(t, out.Traces.SpanCount()+out.Logs.LogRecordCount(), "silently")
}
