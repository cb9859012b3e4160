package trial

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/tools/internal/otlpsink"
)

const (
	knownMetric     = "otelcol_receiver_agent_stream_files_known"
	notParsedMetric = "otelcol_receiver_agent_stream_lines_not_parsed"
)

// scaleLine returns a line of a session with a text.
func scaleLine(session, line int, text string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":"msg_%[1]d_%[2]d","role":"assistant","model":"x","content":[{"type":"text","text":"%[3]s"}]},`+
		`"sessionId":"session-%[1]d","uuid":"uuid-%[1]d-%[2]d","timestamp":"2026-11-27T20:00:00.000Z"}`+"\n", session, line, text)
}

// watchedTexts is a sink that records when each text arrived.
type watchedTexts struct {
	server *httptest.Server
	mu     sync.Mutex
	came   map[string]time.Time
}

func newWatchedTexts(t *testing.T) *watchedTexts {
	x := &watchedTexts{came: map[string]time.Time{}}
	x.server = httptest.NewServer(otlpsink.Handler(func(_ *http.Request, b otlpsink.Batch) error {
		now := time.Now()
		x.mu.Lock()
		defer x.mu.Unlock()
		for _, record := range b.Records() {
			if record.EventName() == "tailspan.text" {
				x.came[record.Body().Str()] = now
			}
		}
		return nil
	}))
	t.Cleanup(x.server.Close)
	return x
}

func (x *watchedTexts) count() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.came)
}

func (x *watchedTexts) await(t *testing.T, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return x.count() >= n }, 5*time.Minute, 20*time.Millisecond, "%d texts", n)
}

// TestScaleOfManyFiles follows 10,000 files with few file descriptors: idle files cost next to nothing, and what is written to
// a thousand of them is exported immediately.
func TestScaleOfManyFiles(t *testing.T) {
	built(t, "TAILSPAN_COLLECTOR")
	const files, growing, lines = 10_000, 1000, 5000
	dir := t.TempDir()
	path := func(i int) string {
		return filepath.Join(dir, strconv.Itoa(i%50), fmt.Sprintf("%032d.jsonl", i))
	}
	for i := range 50 {
		require.NoError(t, os.Mkdir(filepath.Join(dir, strconv.Itoa(i)), 0o700))
	}
	for i := range files {
		require.NoError(t, os.WriteFile(path(i), []byte(scaleLine(i, 0, fmt.Sprint("old ", i))), 0o600))
	}
	texts := newWatchedTexts(t)
	c := startCollector(t, collectorSetup{
		include: []string{filepath.Join(dir, "**", "*.jsonl")}, endpoint: texts.server.URL, store: filepath.Join(t.TempDir(), "store"), files: 256,
		more: "receivers: {agent_stream: {start_at: end, poll_interval: 1s}}",
	})
	c.ready()
	require.Eventually(t, func() bool { return c.count(knownMetric) == files }, time.Minute, 100*time.Millisecond)
	<-time.After(5 * time.Second) // for the work after a start
	before, begun := c.usage(), time.Now()
	<-time.After(10 * time.Second) // idle: this is measured
	after := c.usage()
	load := float64(after.CPU-before.CPU) / float64(time.Since(begun))
	t.Logf("%d files at rest: %.2f %% of a core, %d MiB", files, 100*load, after.RSS>>20)
	assert.Less(t, load, 0.01, "CPU at rest, in parts of a core")
	assert.Less(t, after.RSS, int64(100<<20), "memory at rest")

	sent := make([]time.Time, lines)
	every := time.NewTicker(2 * time.Millisecond)
	defer every.Stop()
	for n := range lines {
		session := n % growing * (files / growing)
		f, err := os.OpenFile(path(session), os.O_WRONLY|os.O_APPEND, 0)
		require.NoError(t, err)
		sent[n] = time.Now()
		_, err = io.WriteString(f, scaleLine(session, 1+n, fmt.Sprint("new ", n)))
		require.NoError(t, err)
		require.NoError(t, f.Close())
		<-every.C
	}
	texts.await(t, lines)
	last := c.usage()
	c.end(syscall.SIGTERM)
	texts.mu.Lock()
	defer texts.mu.Unlock()
	assert.Len(t, texts.came, lines, "start_at is end")
	var took []time.Duration
	for n := range lines {
		took = append(took, texts.came[fmt.Sprint("new ", n)].Sub(sent[n]))
	}
	slices.Sort(took)
	p50, p99 := took[lines/2], took[lines*99/100]
	t.Logf("%d growing: from the write to the sink p50 %v, p99 %v, at most %v; %d MiB", growing, p50, p99, took[lines-1], last.RSS>>20)
	assert.Less(t, p99, 100*time.Millisecond)
	assert.NotContains(t, c.log.String(), "too many open files")
}

// TestScaleOfATranscript reads a session of 500 MB, or a fifth of that.
func TestScaleOfATranscript(t *testing.T) {
	built(t, "TAILSPAN_COLLECTOR")
	size := 100 << 20
	if whole() {
		size = 500 << 20
	}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	const lines = 5000 // at once
	written, session := 0, 0
	for ; written < size; written += lines * sessionLine {
		require.NoError(t, appendSession(path, 1, session, session+lines))
		session += lines
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	texts := newWatchedTexts(t)
	c := startCollector(t, collectorSetup{include: []string{path}, endpoint: texts.server.URL, store: filepath.Join(t.TempDir(), "store")})
	texts.await(t, session)
	peak := c.usage().PeakRSS
	c.end(syscall.SIGTERM)
	t.Logf("%d MB, %d lines: peak memory %d MiB", info.Size()/1e6, session, peak>>20)
	assert.Equal(t, session, texts.count())
	assert.Less(t, peak, int64(150<<20))
}

// TestScaleOfALine has a line of 1 GiB between two others: it is skipped and counted without using memory.
func TestScaleOfALine(t *testing.T) {
	built(t, "TAILSPAN_COLLECTOR")
	const size = 1 << 30
	path := filepath.Join(t.TempDir(), "s.jsonl")
	f, err := os.Create(path)
	require.NoError(t, err)
	_, err = io.WriteString(f, scaleLine(1, 1, "before"))
	require.NoError(t, err)
	begin, err := f.Seek(0, io.SeekCurrent)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(begin+size)) // a sparse file: no newline, and no disk space needed
	_, err = f.Seek(0, io.SeekEnd)
	require.NoError(t, err)
	_, err = io.WriteString(f, "\n"+scaleLine(1, 2, "after"))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	texts := newWatchedTexts(t)
	c := startCollector(t, collectorSetup{include: []string{path}, endpoint: texts.server.URL, store: filepath.Join(t.TempDir(), "store")})
	texts.await(t, 2)
	assert.Equal(t, 1, c.count(notParsedMetric), "it is counted")
	peak := c.usage().PeakRSS
	c.end(syscall.SIGTERM)
	t.Logf("a line of 1 GiB: peak memory %d MiB", peak>>20)
	assert.Less(t, peak, int64(150<<20))
}
