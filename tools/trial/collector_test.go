package trial

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/tools/program"
)

// built returns the path of the program that a variable names.
func built(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("needs a built program in %s: make torture, make endurance, make scale, make cases", variable)
	}
	return path
}

// newSeed returns the seed of a trial and prints it.
func newSeed(t *testing.T) uint64 {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("TAILSPAN_SEED"); s != "" {
		var err error
		seed, err = strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("TAILSPAN_SEED=%d", seed)
	return seed
}

// whole reports whether a trial runs at its full size.
func whole() bool { return os.Getenv("TAILSPAN_WHOLE") == "1" }

// losslessConfig is the configuration that docs/delivery.md names.
const losslessConfig = `
receivers:
  agent_stream:
    include: %s
    start_at: beginning
    poll_interval: 200ms
    retry_on_failure: {initial_interval: 20ms, max_interval: 200ms}
    path_pattern: "{trial.file}.jsonl"
exporters:
  otlp_http:
    endpoint: %s
    compression: none
    sending_queue: {enabled: false}
    retry_on_failure: {enabled: false}
service:
  telemetry:
    metrics:
      readers:
        - pull: {exporter: {prometheus: {host: 127.0.0.1, port: %s}}}
  pipelines:
    traces: {receivers: [agent_stream], exporters: [otlp_http]}
    logs: {receivers: [agent_stream], exporters: [otlp_http]}
`

// storageConfig stores offsets across restarts.
const storageConfig = `
receivers: {agent_stream: {storage: file_storage}}
extensions: {file_storage: {directory: %q, create_directory: true}}
service: {extensions: [file_storage]}
`

// collectorSetup is how a trial configures its collector.
type collectorSetup struct {
	include  []string
	endpoint string
	store    string // folder of the storage; empty means none
	config   string // in place of the lossless one, with the collector's own metrics off
	more     string // additional configuration
	files    int    // limit of open files; 0 means the system's
	gctrace  bool   // log each garbage collection; see collectorRun.liveHeap
	gates    string
	within   []string // words of a program that runs the collector in another environment
}

// collectorRun is a running collector.
type collectorRun struct {
	t   *testing.T
	cmd *exec.Cmd
	log *bytes.Buffer // valid once the collector has ended
	url string        // address of its metrics
}

func startCollector(t *testing.T, s collectorSetup) *collectorRun {
	t.Helper()
	port, err := program.FreePort(0)
	require.NoError(t, err)
	include, err := json.Marshal(s.include) // JSON is YAML
	require.NoError(t, err)
	configs := []string{fmt.Sprintf(losslessConfig, include, s.endpoint, port)}
	if s.config != "" {
		configs = []string{s.config}
	}
	if s.store != "" {
		configs = append(configs, fmt.Sprintf(storageConfig, s.store))
	}
	if s.more != "" {
		configs = append(configs, s.more)
	}
	dir := t.TempDir()
	words := []string{"sh", "-c", fmt.Sprintf(`ulimit -n %d; exec "$0" "$@"`, s.files), built(t, "TAILSPAN_COLLECTOR")}
	if s.files == 0 {
		words = words[3:]
	}
	for i, text := range configs {
		path := filepath.Join(dir, fmt.Sprintf("%d.yaml", i))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		words = append(words, "--config", path)
	}
	if s.gates != "" {
		words = append(words, "--feature-gates", s.gates)
	}
	words = append(slices.Clone(s.within), words...)
	r := &collectorRun{t: t, cmd: exec.Command(words[0], words[1:]...), log: &bytes.Buffer{}, url: "http://127.0.0.1:" + port + "/metrics"}
	r.cmd.Stdout, r.cmd.Stderr = r.log, r.log
	if s.gctrace {
		r.cmd.Env = append(os.Environ(), "GODEBUG=gctrace=1")
	}
	require.NoError(t, r.cmd.Start())
	t.Cleanup(func() {
		if r.cmd.ProcessState == nil { // the test has failed
			_ = r.cmd.Process.Kill()
			_ = r.cmd.Wait()
		}
	})
	return r
}

// end sends a signal and waits for the process.
func (r *collectorRun) end(signal syscall.Signal) {
	r.t.Helper()
	require.NoError(r.t, r.cmd.Process.Signal(signal))
	err := r.cmd.Wait()
	if signal != syscall.SIGTERM {
		return
	}
	status, _ := r.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() && !bytes.Contains(r.log.Bytes(), []byte("Everything is ready")) {
		return // a collector that has not started yet does not handle the signal
	}
	require.NoError(r.t, err, "%s", r.log)
}

// usage returns its cost so far.
func (r *collectorRun) usage() program.Usage {
	r.t.Helper()
	u, err := program.MeasureUsage(r.cmd.Process.Pid)
	if errors.Is(err, os.ErrNotExist) {
		r.t.Skip("costs are read from /proc, which is not here")
	}
	require.NoError(r.t, err)
	return u
}

// collected matches what GODEBUG=gctrace=1 logs: the heap at the start and at the end of a collection, and what of it is live.
var collected = regexp.MustCompile(`gc \d+ @.*, \d+->\d+->(\d+) MB, `)

// liveHeap returns the most MiB that a garbage collection left, once the collector has ended. What is held at a time is only
// known then: between two collections the heap grows to about twice as much, whatever the program holds.
func (r *collectorRun) liveHeap() (most int) {
	r.t.Helper()
	all := collected.FindAllSubmatch(r.log.Bytes(), -1)
	require.NotEmpty(r.t, all, "collections in the log")
	for _, m := range all {
		n, err := strconv.Atoi(string(m[1]))
		require.NoError(r.t, err)
		most = max(most, n)
	}
	return most
}

// count adds up its counters with these names.
func (r *collectorRun) count(names ...string) int {
	r.t.Helper()
	n, err := program.Scrape(r.t.Context(), r.url, names...)
	require.NoError(r.t, err)
	return int(n)
}

// ready waits until the collector reports that it is running.
func (r *collectorRun) ready() {
	r.t.Helper()
	require.Eventually(r.t, func() bool {
		_, err := program.Scrape(r.t.Context(), r.url)
		return err == nil
	}, 30*time.Second, 20*time.Millisecond)
}
