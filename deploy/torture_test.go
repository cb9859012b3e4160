package deploy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/tailspan/tailspan/telemetry"
)

// The kill test: a writer appends sessions of all providers to many files, in random pieces, while the collector that
// sends to a sink of the test's own is killed, or stopped, at random moments and started again. It needs a collector that
// was built, and is run by `make torture`.
//
//	TAILSPAN_COLLECTOR  the program
//	TAILSPAN_KILLS      how often (10)
//	TAILSPAN_SEED       of all that is random

const tortureFiles = 50

// otlpSink takes OTLP over HTTP and counts what came, by id.
type otlpSink struct {
	mu   sync.Mutex
	life int // the collector's, counted from 0
	seen map[string][]int
	last time.Time
}

func (s *otlpSink) add(ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = time.Now()
	for _, id := range ids {
		s.seen[id] = append(s.seen[id], s.life)
	}
}

// ServeHTTP accepts all.
func (s *otlpSink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the collector was killed while it sent
	}
	var ids []string
	switch r.URL.Path {
	case "/v1/traces":
		req := ptraceotlp.NewExportRequest()
		if err = req.UnmarshalProto(body); err == nil {
			for _, rs := range req.Traces().ResourceSpans().All() {
				for _, ss := range rs.ScopeSpans().All() {
					for _, span := range ss.Spans().All() {
						ids = append(ids, fmt.Sprint("span ", span.TraceID(), span.SpanID(), span.Name(), " ", rs.Resource().Attributes().AsRaw()["service.name"], span.Attributes().AsRaw()["session.id"]))
					}
				}
			}
		}
	case "/v1/logs":
		req := plogotlp.NewExportRequest()
		if err = req.UnmarshalProto(body); err == nil {
			for _, rl := range req.Logs().ResourceLogs().All() {
				for _, sl := range rl.ScopeLogs().All() {
					for _, lr := range sl.LogRecords().All() {
						if name := lr.EventName(); name == telemetry.EventNameStepStarted || name == telemetry.EventNameProgress {
							continue // told live only
						}
						uid, _ := lr.Attributes().Get(telemetry.AttrLogRecordUID)
						ids = append(ids, "record "+uid.Str())
					}
				}
			}
		}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	s.add(ids)
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// quiet waits until nothing came for a while.
func (s *otlpSink) quiet(t *testing.T) {
	t.Helper()
	s.add(nil) // the collector has only just been started
	require.Eventually(t, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.seen) > 0 && time.Since(s.last) > 4*time.Second
	}, 5*time.Minute, 50*time.Millisecond)
}

// losslessConfig is the configuration that docs/delivery.md names.
const losslessConfig = `
receivers:
  agent_stream:
    include: [%q]
    start_at: beginning
    storage: file_storage
    poll_interval: 200ms
    retry: {initial_interval: 20ms, max_interval: 200ms}
exporters:
  otlp_http:
    endpoint: %s
    compression: none
    sending_queue: {enabled: false}
    retry_on_failure: {enabled: false}
extensions:
  file_storage: {directory: %q, create_directory: true}
service:
  extensions: [file_storage]
  telemetry: {metrics: {level: none}}
  pipelines:
    traces: {receivers: [agent_stream], exporters: [otlp_http]}
    logs: {receivers: [agent_stream], exporters: [otlp_http]}
`

// run is a collector at work.
type collectorRun struct {
	t   *testing.T
	cmd *exec.Cmd
	log *bytes.Buffer
}

func startCollector(t *testing.T, program, include, endpoint, store string) *collectorRun {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, losslessConfig, include, endpoint, store), 0o600))
	r := &collectorRun{t: t, cmd: exec.Command(program, "--config", path), log: &bytes.Buffer{}}
	r.cmd.Stdout, r.cmd.Stderr = r.log, r.log
	require.NoError(t, r.cmd.Start())
	return r
}

// end sends a signal and waits for the process.
func (r *collectorRun) end(signal syscall.Signal) {
	r.t.Helper()
	require.NoError(r.t, r.cmd.Process.Signal(signal))
	err := r.cmd.Wait()
	status, _ := r.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if signal == syscall.SIGTERM && !(status.Signaled() && !bytes.Contains(r.log.Bytes(), []byte("Everything is ready"))) {
		require.NoError(r.t, err, "%s", r.log) // one that is not up yet does not know the signal
	}
}

// sessionIDs finds what names a session, a message or a call in any format.
var sessionIDs = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b(ses|msg|resp|chatcmpl)[_-][0-9A-Za-z_-]+`)

// tortureSessions are the contents of the files: captures, each session once, and made ones for the rest.
func tortureSessions(t *testing.T) [][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "testdata", "*", "*.jsonl"))
	require.NoError(t, err)
	var list [][]byte
	// Some of each provider. What two files tell of one session is heard from the first, whichever that is: so no two.
	taken := map[string]bool{}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	for _, path := range paths {
		if len(list) == tortureFiles {
			break
		}
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		ids := sessionIDs.FindAllString(string(data), -1)
		if slices.ContainsFunc(ids, func(id string) bool { return taken[id] }) {
			continue
		}
		for _, id := range ids {
			taken[id] = true
		}
		list = append(list, data)
	}
	for len(list) < tortureFiles {
		var b strings.Builder
		for i := range 200 {
			fmt.Fprintf(&b, `{"type":"assistant","message":{"id":"m%d-%d","role":"assistant","model":"x","content":[{"type":"text","text":"%d"}]},"session_id":"s%d","uuid":"u%d-%d","timestamp":"2026-11-27T20:00:00.000Z"}`+"\n",
				len(list), i, i, len(list), len(list), i)
		}
		list = append(list, []byte(b.String()))
	}
	return list
}

// appendRandomly writes the sessions piece by piece until all is written.
func appendRandomly(ctx context.Context, t *testing.T, dir string, sessions [][]byte, rng *rand.Rand, pause time.Duration) {
	written := make([]int, len(sessions))
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for left := len(sessions); left > 0; {
		i := rng.IntN(len(sessions))
		if written[i] == len(sessions[i]) {
			continue
		}
		n := min(1+rng.IntN(4000), len(sessions[i])-written[i])
		f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf("%02d.jsonl", i)), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if !assert.NoError(t, err) {
			return
		}
		_, err = f.Write(sessions[i][written[i] : written[i]+n])
		assert.NoError(t, err)
		assert.NoError(t, f.Close())
		if written[i] += n; written[i] == len(sessions[i]) {
			left--
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

func TestTorture(t *testing.T) {
	program := os.Getenv("TAILSPAN_COLLECTOR")
	if program == "" {
		t.Skip("needs a collector: make torture")
	}
	kills, seed := 10, uint64(time.Now().UnixNano())
	if s := os.Getenv("TAILSPAN_KILLS"); s != "" {
		var err error
		kills, err = strconv.Atoi(s)
		require.NoError(t, err)
	}
	if s := os.Getenv("TAILSPAN_SEED"); s != "" {
		var err error
		seed, err = strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("TAILSPAN_SEED=%d TAILSPAN_KILLS=%d", seed, kills)
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) { torture(t, program, signal, kills, seed) })
	}
}

func torture(t *testing.T, program string, signal syscall.Signal, kills int, seed uint64) {
	sessions := tortureSessions(t)
	dir, work := t.TempDir(), t.TempDir()
	include := filepath.Join(dir, "*.jsonl")
	rng := rand.New(rand.NewPCG(seed, 1))
	sink := &otlpSink{seen: map[string][]int{}}
	server := httptest.NewServer(sink)
	defer server.Close()
	size := 0
	for _, s := range sessions {
		size += len(s)
	}
	// The writing lasts about as long as the lives of the collector together.
	life := func() time.Duration { return time.Duration(200+rng.IntN(1200)) * time.Millisecond }
	pause := max(time.Duration(kills)*800*time.Millisecond/time.Duration(1+size/2000), time.Millisecond)
	var writer sync.WaitGroup
	writerRng := rand.New(rand.NewPCG(seed, 2))
	writer.Go(func() { appendRandomly(t.Context(), t, dir, sessions, writerRng, pause) })
	for range kills {
		c := startCollector(t, program, include, server.URL, filepath.Join(work, "store"))
		<-time.After(life()) // the moment is random, not a wait for something
		c.end(signal)
		sink.mu.Lock()
		sink.life++
		sink.mu.Unlock()
	}
	writer.Wait()
	c := startCollector(t, program, include, server.URL, filepath.Join(work, "store"))
	sink.quiet(t)
	c.end(syscall.SIGTERM)

	// What one life gives of the same files, under the same paths.
	whole := &otlpSink{seen: map[string][]int{}}
	reference := httptest.NewServer(whole)
	defer reference.Close()
	c = startCollector(t, program, include, reference.URL, filepath.Join(work, "reference"))
	whole.quiet(t)
	c.end(syscall.SIGTERM)

	var lost, foreign, sameLife []string
	twice := 0
	for id := range whole.seen {
		if len(sink.seen[id]) == 0 {
			lost = append(lost, id)
		}
	}
	for id, lives := range sink.seen {
		if len(whole.seen[id]) == 0 {
			foreign = append(foreign, id)
		}
		twice += len(lives) - 1
		if len(slices.Compact(slices.Clone(lives))) != len(lives) {
			sameLife = append(sameLife, id)
		}
	}
	t.Logf("%d times %v: %d spans and records, lost %d, seen twice %d, of an unknown id %d",
		kills, signal, len(whole.seen), len(lost), twice, len(foreign))
	assert.Empty(t, lost, "lost")
	assert.Empty(t, foreign, "ids that one life does not give")
	assert.Empty(t, sameLife, "seen twice in one life")
	if signal == syscall.SIGTERM {
		assert.Zero(t, twice, "seen twice over clean stops")
	}
}
