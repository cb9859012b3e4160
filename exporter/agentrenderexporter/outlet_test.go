package agentrenderexporter

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/exporter/agentrenderexporter/internal/metadata"
	"github.com/tailspan/tailspan/otlp"
)

// disk is a set of outputs by path that records what is open.
type disk struct {
	mu      sync.Mutex
	files   map[string]*bytes.Buffer
	broken  map[string]bool // opening or writing fails
	open    int
	maxOpen int
	opened  int
}

func newDisk() *disk { return &disk{files: map[string]*bytes.Buffer{}, broken: map[string]bool{}} }

func (d *disk) openFile(path string) (io.WriteCloser, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.broken[path] {
		return nil, errFull
	}
	d.open++
	d.opened++
	d.maxOpen = max(d.maxOpen, d.open)
	if d.files[path] == nil {
		d.files[path] = &bytes.Buffer{}
	}
	return &diskFile{d, path}, nil
}

func (d *disk) read(path string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files[path] == nil {
		return ""
	}
	return d.files[path].String()
}

func (d *disk) openFiles() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open
}

func (d *disk) breaks(path string, broken bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.broken[path] = broken
}

type diskFile struct {
	disk *disk
	path string
}

func (f *diskFile) Write(p []byte) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.disk.broken[f.path] {
		return 0, errFull
	}
	return f.disk.files[f.path].Write(p)
}

func (f *diskFile) Close() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.disk.open--
	return nil
}

func onDisk(t *testing.T, d *disk, change func(*Config)) exporter.Logs {
	t.Helper()
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	cfg.RetryConfig.Enabled = false
	cfg.Output = "logs/{cicd.pipeline.name}/{cicd.pipeline.task.name}.log"
	if change != nil {
		change(cfg)
	}
	require.NoError(t, cfg.Validate())
	set := exportertest.NewNopSettings(metadata.Type)
	e, err := newExporter(cfg, set.TelemetrySettings, d.openFile)
	require.NoError(t, err)
	exp, err := wrap(t.Context(), set, cfg, e)
	require.NoError(t, err)
	require.NoError(t, exp.Start(t.Context(), componenttest.NewNopHost()))
	return exp
}

// of gives the records of a batch the identity of a step.
func of(pipeline, task string, logs plog.Logs) plog.Logs {
	changed := plog.NewLogs()
	logs.CopyTo(changed)
	for _, rl := range changed.ResourceLogs().All() {
		if pipeline != "" {
			rl.Resource().Attributes().PutStr(otlp.AttrPipelineName, pipeline)
		}
		if task != "" {
			rl.Resource().Attributes().PutStr(otlp.AttrTaskName, task)
		}
	}
	return changed
}

// joined joins batches into one.
func joined(all ...plog.Logs) plog.Logs {
	batch := plog.NewLogs()
	for _, logs := range all {
		for _, rl := range logs.ResourceLogs().All() {
			rl.CopyTo(batch.ResourceLogs().AppendEmpty())
		}
	}
	return batch
}

func TestFilesByAttribute(t *testing.T) {
	d := newDisk()
	exp := onDisk(t, d, nil)
	assert.Zero(t, d.opened, "nothing is opened before there is something to write")
	require.NoError(t, exp.ConsumeLogs(t.Context(), joined(
		of("deploy", "build", records(text("s1", "I build."))), of("deploy", "test", records(delta("s2", "I te"))),
		of("deploy", "build", records(text("s1", "Built."))), of("", "", records(text("s3", "Whose am I?"))),
		of("../../etc", `..\x/y`, records(text("s4", "I climb."))),
	)))
	require.NoError(t, exp.ConsumeLogs(t.Context(), of("deploy", "test", records(delta("s2", "st.")))))
	require.NoError(t, exp.Shutdown(t.Context()))
	assert.Equal(t, "I build.\nBuilt.\n", d.read("logs/deploy/build.log"))
	assert.Equal(t, "I test.\n", d.read("logs/deploy/test.log"))
	assert.Equal(t, "Whose am I?\n", d.read("logs/unknown/unknown.log"))
	assert.Equal(t, "I climb.\n", d.read("logs/%2E.%2F..%2Fetc/%2E.%5Cx%2Fy.log"))
	assert.Zero(t, d.open)
}

func TestOpenFilesAreBounded(t *testing.T) {
	d := newDisk()
	exp := onDisk(t, d, func(c *Config) { c.MaxOpenFiles = 3 })
	for round := range 3 {
		for i := range 10 {
			task := fmt.Sprint("t", i)
			require.NoError(t, exp.ConsumeLogs(t.Context(), of("p", task, records(delta(task, fmt.Sprint(round, " "))))))
		}
	}
	assert.Equal(t, 3, d.maxOpen)
	require.NoError(t, exp.Shutdown(t.Context()))
	for i := range 10 {
		assert.Equal(t, "0 1 2 \n", d.read(fmt.Sprintf("logs/p/t%d.log", i)))
	}
	assert.Equal(t, 3, d.maxOpen)
	assert.Zero(t, d.open)
}

// TestOutletsAreEvicted checks that outputs of long ago take no memory.
func TestOutletsAreEvicted(t *testing.T) {
	d := newDisk()
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	cfg.Output, cfg.MaxStreams, cfg.MaxOpenFiles = "{gen_ai.conversation.id}", 4, 2
	set := exportertest.NewNopSettings(metadata.Type)
	e, err := newExporter(cfg, set.TelemetrySettings, d.openFile)
	require.NoError(t, err)
	require.NoError(t, e.start(t.Context(), nil))
	for i := range 100 {
		require.NoError(t, e.push(t.Context(), records(delta(fmt.Sprint("s", i), "words"))))
	}
	assert.LessOrEqual(t, len(e.outlets.byPath), cfg.MaxStreams+cfg.MaxOpenFiles)
	assert.LessOrEqual(t, len(e.sessions.byKey), cfg.MaxStreams)
	require.NoError(t, e.shutdown(t.Context()))
	for i := range 100 {
		require.Equal(t, "words\n", d.read(fmt.Sprint("s", i)))
	}
}

// TestOneOutputFails checks that everything possible is written, that the failure is reported, and that a retry gives
// everything once.
func TestOneOutputFails(t *testing.T) {
	for _, when := range []string{"opening", "writing"} {
		t.Run(when, func(t *testing.T) {
			d := newDisk()
			exp := onDisk(t, d, nil)
			if when == "writing" {
				require.NoError(t, exp.ConsumeLogs(t.Context(), of("p", "b", records(text("b", "zero")))))
			}
			d.breaks("logs/p/b.log", true)
			first, second := text("a", "one"), text("b", "two")
			first.uid, second.uid = "u1", "u2"
			batch := joined(of("p", "a", records(first)), of("p", "b", records(second)))
			require.ErrorIs(t, exp.ConsumeLogs(t.Context(), batch), errFull)
			assert.Equal(t, "one\n", d.read("logs/p/a.log"))
			require.ErrorIs(t, exp.ConsumeLogs(t.Context(), batch), errFull)
			d.breaks("logs/p/b.log", false)
			require.NoError(t, exp.ConsumeLogs(t.Context(), batch))
			assert.Equal(t, "one\n", d.read("logs/p/a.log"))
			assert.Equal(t, "two\n", strings.TrimPrefix(d.read("logs/p/b.log"), "zero\n"))
			require.NoError(t, exp.Shutdown(t.Context()))
		})
	}
}

// TestMixedBatchesKeepTheOrderOfASession divides the records of several sessions into randomly mixed batches; the texts of
// each session must be written in order.
func TestMixedBatchesKeepTheOrderOfASession(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 7))
		d := newDisk()
		exp := onDisk(t, d, func(c *Config) { c.Output, c.MaxStreams = "one.log", 2+random.IntN(6) })
		next := make([]int, 5)
		for range 40 {
			var batch []item
			for range random.IntN(12) {
				s := random.IntN(len(next))
				batch = append(batch, text(fmt.Sprint("s", s), fmt.Sprintf("s%d %d", s, next[s])))
				next[s]++
			}
			require.NoError(t, exp.ConsumeLogs(t.Context(), records(batch...)))
		}
		require.NoError(t, exp.Shutdown(t.Context()))
		got := make([]int, len(next))
		for line := range strings.Lines(d.read("one.log")) {
			var s, n int
			_, err := fmt.Sscanf(line, "s%d %d", &s, &n)
			require.NoError(t, err, "seed %d: %q", seed, line)
			require.Equal(t, got[s], n, "seed %d", seed)
			got[s]++
		}
		require.Equal(t, next, got, "seed %d", seed)
	}
}

// rawItem is a line that the receiver exports unchanged.
func rawItem(line string) item { return item{session: "s", raw: line} }

// TestSeveralModesOfOnePipeline sends one batch, events and lines, to an exporter of each mode: json writes only the lines,
// the others everything but copies.
func TestSeveralModesOfOnePipeline(t *testing.T) {
	batch := records(rawItem(`{"type":"text", "x":"\x1b"}`), text("s", "Hello"), rawItem("plain words"))
	copied := plog.NewLogs()
	batch.CopyTo(copied)
	lr := copied.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
	lr.Attributes().PutBool(otlp.AttrRawCopy, true)
	for mode, want := range map[string]string{
		"default": "Hello\nplain words\n",
		"verbose": "--- [s] ---\nHello\nplain words\n",
		"quiet":   "plain words\n",
		"json":    `{"type":"text", "x":"\x1b"}` + "\nplain words\n",
	} {
		d := newDisk()
		exp := onDisk(t, d, func(c *Config) { c.Output, c.Mode = "out", mode })
		require.NoError(t, exp.ConsumeLogs(t.Context(), copied))
		require.NoError(t, exp.Shutdown(t.Context()))
		assert.Equal(t, want, d.read("out"), "mode %s", mode)
	}
}

// timed are tool calls, in seconds after nine.
func timed(session string, calls map[string]float64) plog.Logs {
	logs := plog.NewLogs()
	names := make([]string, 0, len(calls))
	for name := range calls {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		one := records(item{session: session, event: events.DisplayEvent{Kind: events.KindToolUse, Tool: events.Tool{Name: "Read", Target: name}}})
		next := plog.NewLogs()
		one.CopyTo(next)
		at := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC).Add(time.Duration(calls[name] * float64(time.Second)))
		next.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).SetTimestamp(pcommonTime(at))
		logs = joined(logs, next)
	}
	return logs
}

// TestActivityThrottle checks that the throttle uses the times of records, and that its timer writes the last line without
// another batch, even to a file that is not open.
func TestActivityThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		exp := onDisk(t, d, func(c *Config) { c.Mode, c.Style, c.MaxOpenFiles = "verbose", "activity", 1 })
		calls := map[string]float64{"a": 0, "b": 0.5, "c": 1, "d": 1.5, "e": 1.9}
		require.NoError(t, exp.ConsumeLogs(t.Context(), of("p", "build", timed("s", calls))))
		assert.Equal(t, []string{"[build] Read a", "[build] Read c"}, withoutTime(d.read("logs/p/build.log")))
		require.NoError(t, exp.ConsumeLogs(t.Context(), of("p", "other", timed("s", map[string]float64{"x": 0}))))
		assert.Equal(t, 1, d.openFiles(), "the first file is closed")
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, []string{"[build] Read a", "[build] Read c", "[build] Read e"}, withoutTime(d.read("logs/p/build.log")))
		assert.Equal(t, 1, d.openFiles())

		// The next batch reports what the timer could not write.
		require.NoError(t, exp.ConsumeLogs(t.Context(), of("p", "build", timed("s", map[string]float64{"f": 2.1}))))
		d.breaks("logs/p/build.log", true)
		time.Sleep(time.Second)
		synctest.Wait()
		require.ErrorIs(t, exp.ConsumeLogs(t.Context(), of("p", "other", records(text("s", "more")))), errFull)
		d.breaks("logs/p/build.log", false)
		require.NoError(t, exp.ConsumeLogs(t.Context(), of("p", "other", records(text("s", "more")))))
		assert.Equal(t, []string{"[build] Read a", "[build] Read c", "[build] Read e", "[build] Read f"}, withoutTime(d.read("logs/p/build.log")))
		require.NoError(t, exp.Shutdown(t.Context()))
	})
}

func withoutTime(log string) []string {
	var all []string
	for line := range strings.Lines(log) {
		_, line, _ = strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		all = append(all, line)
	}
	return all
}
