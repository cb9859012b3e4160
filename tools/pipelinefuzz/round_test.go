package pipelinefuzz

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/tailspan/tailspan/internal/files/abridge"
	"github.com/tailspan/tailspan/internal/storagetest"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// readLimit is how long the receiver may take for a round on a busy machine.
const readLimit = 2 * time.Minute

// file is one session at its path below the watched folder.
type file struct {
	path string
	session
	// pieces are the parts in which the file is written: the first before the start, the others while the receiver runs.
	pieces [][]byte
	// control: its session is an unchanged recording. Its content must be exported, whatever the other files contain.
	control bool
}

// round is what one seed determines.
type round struct {
	seed     uint64
	files    []file
	settings map[string]any
	// lineLimit is max_line_size.
	lineLimit int
	old       bool // the files were last written two days ago
	restart   bool // the receiver is stopped while it reads, and another one continues
}

// exported is what the consumers received.
type exported struct {
	traces  []ptrace.Traces
	logs    []plog.Logs
	metrics [][]pmetric.Metrics // of each receiver: counters restart
	// acknowledged is the number of acknowledged bytes of lines.
	acknowledged int64
}

// newRound returns a random round.
func newRound(t testing.TB, seed uint64, size int) round {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0x7461696c))
	all := recordings(t)
	pick := func() session {
		if rng.IntN(3) == 0 {
			return generated(t, rng)
		}
		return all[rng.IntN(len(all))]
	}
	r := round{seed: seed, settings: drawSettings(rng), lineLimit: 1 << (15 + rng.IntN(6)), old: rng.IntN(4) == 0}
	for i := range size {
		s, control := pick(), false
		switch rng.IntN(8) {
		case 0:
			control = true
		case 1: // another account of a session, or a copy of its beginning
			if len(r.files) > 0 {
				s = r.files[rng.IntN(len(r.files))].session
			}
			if n := len(s.lines); n > 1 && rng.IntN(2) == 0 {
				s = session{s.name, s.lines[:1+rng.IntN(n-1)]}
			}
		default:
			s = mutate(rng, s, pick())
		}
		if n := len(s.lines); n > 0 && !bytes.HasSuffix(s.lines[n-1], []byte("\n")) {
			// End the last line, so that the number of bytes that must be acknowledged is known.
			s = s.clone()
			s.lines[n-1] = append(bytes.Clone(s.lines[n-1]), '\n')
		}
		f := file{path: drawPath(rng, i), session: s, control: control}
		f.pieces = pieces(rng, s.bytes())
		r.files = append(r.files, f)
	}
	r.restart = rng.IntN(4) == 0
	return r
}

func drawSettings(rng *rand.Rand) map[string]any {
	m := map[string]any{
		"start_at": "beginning", "poll_interval": "50ms", "force_flush_period": "50ms",
		"retry_on_failure": map[string]any{"initial_interval": "1ms", "max_interval": "10ms"}, "metrics": map[string]any{"interval": "200ms"},
	}
	if rng.IntN(3) == 0 {
		m["trace"] = "session"
	}
	if rng.IntN(3) == 0 {
		m["path_pattern"] = "runs/{cicd.pipeline.name}/{cicd.pipeline.run.id}/{cicd.pipeline.task.name}.jsonl"
	}
	if rng.IntN(3) == 0 {
		m["capture"] = map[string]any{"prompts": true, "reasoning": true, "tool_input": true, "tool_output": true, "messages": true}
	}
	if rng.IntN(2) == 0 {
		m["semconv"] = []string{"genai-0.1", "v1.41"}[rng.IntN(2)]
	}
	return m
}

func drawPath(rng *rand.Rand, i int) string {
	switch rng.IntN(3) {
	case 0:
		return fmt.Sprintf("runs/p%d/%d/step%d-%d.jsonl", rng.IntN(3), rng.IntN(3), rng.IntN(3), i)
	case 1:
		return fmt.Sprintf("projects/x/session%d/subagents/agent-%d.jsonl", rng.IntN(4), i)
	default:
		return fmt.Sprintf("other/%d.jsonl", i)
	}
}

// pieces cuts data at the positions that a writer may have reached when the reader reads.
func pieces(rng *rand.Rand, data []byte) [][]byte {
	if rng.IntN(3) > 0 || len(data) < 2 {
		return [][]byte{data}
	}
	var cut [][]byte
	for range 1 + rng.IntN(2) {
		n := rng.IntN(len(data) + 1)
		if bytes.HasPrefix(data[n:], []byte("\n")) {
			n++ // the newline of a line that was read without it is not acknowledged
		}
		cut, data = append(cut, data[:n]), data[n:]
	}
	return append(cut, data)
}

// readable returns how many bytes of the file are lines that are read, whole or abridged if over the limit: as many
// must be acknowledged.
func (f file) readable(limit int) (n int64) {
	for line := range bytes.Lines(f.bytes()) {
		if data := bytes.TrimSuffix(line, []byte("\n")); len(data) <= limit || canAbridge(data) {
			n += int64(len(line))
		}
	}
	return n
}

func canAbridge(line []byte) bool {
	var a abridge.Abridger
	a.Reset()
	a.Write(line)
	_, ok := a.Line()
	return ok
}

// play writes the files of a round below a new folder, makes a receiver read them, and returns what it exported. With
// a restart, a receiver is stopped while it reads the initial content, and another one continues with the same
// storage.
func (r round) play(t testing.TB) exported {
	t.Helper()
	folder := t.TempDir()
	settings := map[string]any{"include": []any{filepath.Join(folder, "**", "*.jsonl")}, "max_line_size": r.lineLimit}
	for key, value := range r.settings {
		settings[key] = value
	}
	var want int64
	for _, f := range r.files {
		r.write(t, filepath.Join(folder, f.path), f.pieces[0])
		want += f.readable(r.lineLimit)
	}
	if !r.restart {
		return r.read(t, settings, componenttest.NewNopHost(), folder, want)
	}
	settings["storage"] = storagetest.ID.String()
	host := newMachine()
	half := r
	half.files = nil
	first := half.read(t, settings, host, folder, 1)
	return first.with(r.read(t, settings, host, folder, want-first.acknowledged))
}

// with returns what two receivers exported.
func (e exported) with(o exported) exported {
	return exported{append(e.traces, o.traces...), append(e.logs, o.logs...), append(e.metrics, o.metrics...), e.acknowledged + o.acknowledged}
}

// read makes a receiver read the folder, while the files grow, until it has acknowledged a number of bytes.
func (r round) read(t testing.TB, settings map[string]any, host component.Host, folder string, want int64) exported {
	t.Helper()
	factory := agentstreamreceiver.NewFactory()
	cfg := factory.CreateDefaultConfig()
	require.NoError(t, confmap.NewFromStringMap(settings).Unmarshal(cfg))
	traces, logs, metrics := &consumertest.TracesSink{}, &consumertest.LogsSink{}, &consumertest.MetricsSink{}
	tel := componenttest.NewTelemetry()
	set := receivertest.NewNopSettings(factory.Type())
	set.ID, set.TelemetrySettings = component.NewID(factory.Type()), tel.NewTelemetrySettings()
	ctx := context.Background()
	parts := make([]component.Component, 3)
	var err error
	parts[0], err = factory.CreateTraces(ctx, set, cfg, traces)
	require.NoError(t, err)
	parts[1], err = factory.CreateLogs(ctx, set, cfg, logs)
	require.NoError(t, err)
	parts[2], err = factory.CreateMetrics(ctx, set, cfg, metrics)
	require.NoError(t, err)
	for _, part := range parts {
		require.NoError(t, part.Start(ctx, host))
	}
	for _, f := range r.files {
		for _, piece := range f.pieces[1:] {
			r.write(t, filepath.Join(folder, f.path), piece)
		}
	}
	read := func() bool { return acknowledged(tel) >= want }
	if !assert.Eventually(t, read, readLimit, 5*time.Millisecond) {
		t.Errorf("seed %d: %d of %d bytes were acknowledged", r.seed, acknowledged(tel), want)
	}
	for _, part := range parts {
		require.NoError(t, part.Shutdown(ctx))
	}
	sum := acknowledged(tel)
	require.NoError(t, tel.Shutdown(ctx))
	return exported{traces.AllTraces(), logs.AllLogs(), [][]pmetric.Metrics{metrics.AllMetrics()}, sum}
}

func (r round) write(t testing.TB, path string, data []byte) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = f.Write(data)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	if r.old {
		before := time.Now().Add(-48 * time.Hour)
		require.NoError(t, os.Chtimes(path, before, before))
	}
}

// acknowledged returns the receiver's own count of the bytes whose lines every consumer accepted.
func acknowledged(tel *componenttest.Telemetry) (sum int64) {
	got, err := tel.GetMetric("otelcol_receiver_agent_stream_bytes")
	if err != nil {
		return 0 // nothing has been counted yet
	}
	for _, point := range got.Data.(metricdata.Sum[int64]).DataPoints {
		sum += point.Value
	}
	return sum
}
