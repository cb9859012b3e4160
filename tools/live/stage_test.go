package live

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.yaml.in/yaml/v3"

	"github.com/tailspan/tailspan/tools/internal/mockmodel"
	"github.com/tailspan/tailspan/tools/internal/otlpsink"
	"github.com/tailspan/tailspan/tools/program"
)

// sink stores the spans that one sender exports.
type sink struct {
	*httptest.Server

	mu     sync.Mutex
	traces []ptrace.Traces
}

func newSink(t *testing.T) *sink {
	t.Helper()
	s := &sink{}
	keep := otlpsink.Handler(func(_ *http.Request, b otlpsink.Batch) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if b.Traces.SpanCount() > 0 {
			s.traces = append(s.traces, b.Traces)
		}
		return nil
	})
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/metrics" {
			keep.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *sink) all() []ptrace.Traces {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]ptrace.Traces(nil), s.traces...)
}

// count returns the number of exported spans.
func (s *sink) count() (n int) {
	for _, traces := range s.all() {
		n += traces.SpanCount()
	}
	return n
}

// stage is where one CLI runs: a model server, a home folder, a collector that follows the transcripts, and a sink each for
// the exports of the collector and of `tailspan run`.
type stage struct {
	place

	t          *testing.T
	cli        cli
	model      *mockmodel.Server
	env        []string
	stream     *sink // exports of tailspan run
	transcript *sink // exports of the collector
	collector  *program.Process
	metrics    string   // address of the collector's own metrics
	stdin      *os.File // of the next process; nil means empty
	processes  []process
}

// process is one run of `tailspan run`.
type process struct {
	start, end    time.Time
	raw           string // file with the CLI's output
	log, messages string // standard output and standard error
	exit          int
}

func needed(t *testing.T, variable string) string {
	t.Helper()
	v := os.Getenv(variable)
	if v == "" {
		t.Skipf("%s is not set: make live installs the CLIs and runs this test", variable)
	}
	return v
}

func newStage(t *testing.T, c cli, script func(cli) mockmodel.Script) *stage {
	t.Helper()
	root := needed(t, "TAILSPAN_CLIS")
	c.work = t.TempDir()
	s := &stage{t: t, cli: c, stream: newSink(t), transcript: newSink(t)}
	var err error
	s.model, err = mockmodel.Start(script(c))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.model.Close()) })
	s.place = place{home: t.TempDir(), work: c.work, url: s.model.URL()}
	searching, err := filepath.Glob(filepath.Join(root, "ripgrep", "node_modules", "@vscode", "ripgrep-*", "bin"))
	require.NoError(t, err)
	path := strings.Join(append(searching, "/usr/local/bin", "/usr/bin", "/bin"), ":") // otherwise OpenCode downloads ripgrep
	if c.node22 {
		path = filepath.Join(root, "node22", "node_modules", ".bin") + ":" + path
	}
	s.env = append(c.home(t, s.place), "HOME="+s.home, "PATH="+filepath.Join(root, c.program, "node_modules", ".bin")+":"+path, "TMPDIR="+t.TempDir(),
		"TERM=dumb", "NO_COLOR=1", "XDG_CONFIG_HOME="+s.home+"/.config", "XDG_DATA_HOME="+s.home+"/.local/share", "XDG_STATE_HOME="+s.home+"/.state", "XDG_CACHE_HOME="+s.home+"/.cache")
	s.startCollector()
	return s
}

func (s *stage) startCollector() {
	port, err := program.FreePort(0)
	require.NoError(s.t, err)
	number, err := strconv.Atoi(port)
	require.NoError(s.t, err)
	s.metrics = "http://" + net.JoinHostPort("127.0.0.1", port) + "/metrics"
	config, err := yaml.Marshal(args{
		"receivers": args{"agent_stream": args{"include": s.sessions(), "start_at": "beginning", "poll_interval": "200ms", "force_flush_period": "500ms", "end_grace": endGrace.String()}},
		"exporters": args{"otlp_http": args{"endpoint": s.transcript.URL, "compression": "none", "sending_queue": args{"enabled": false}}},
		"service": args{"telemetry": args{"metrics": args{"readers": []args{{"pull": args{"exporter": args{"prometheus": args{"host": "127.0.0.1", "port": number}}}}}}},
			"pipelines": args{"traces": args{"receivers": []string{"agent_stream"}, "exporters": []string{"otlp_http"}}}},
	})
	require.NoError(s.t, err)
	dir := s.t.TempDir()
	path := filepath.Join(dir, "config.yaml")
	require.NoError(s.t, os.WriteFile(path, config, 0o600))
	cmd := exec.Command(needed(s.t, "TAILSPAN_COLLECTOR"), "--config", path)
	s.collector, err = program.Start("collector", cmd, nil, filepath.Join(dir, "log"))
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = s.collector.Stop(program.StopGrace) }) // already stopped by settle if the test got that far
}

// atWork limits the number of CLIs that run concurrently, since their times are compared.
var atWork = make(chan struct{}, 2)

// run runs the CLI under `tailspan run`. It calls at with the process after the start.
func (s *stage) run(words []string, at func(*os.Process)) {
	s.t.Helper()
	p := process{raw: filepath.Join(s.t.TempDir(), "raw"), start: time.Now()}
	line := append([]string{"run", "--stream", "--raw", p.raw, "--otlp", s.stream.URL, "--fail-on", failOn, "--", s.cli.program}, words...)
	cmd := exec.CommandContext(s.t.Context(), needed(s.t, "TAILSPAN_COMMAND"), line...)
	cmd.Dir, cmd.Env = s.work, s.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if s.stdin != nil {
		cmd.Stdin = s.stdin
	}
	var log, messages strings.Builder
	cmd.Stdout, cmd.Stderr = &log, &messages
	require.NoError(s.t, cmd.Start())
	if at != nil {
		at(cmd.Process)
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(s.t, err)
	}
	p.end, p.log, p.messages, p.exit = time.Now(), log.String(), messages.String(), cmd.ProcessState.ExitCode()
	s.processes = append(s.processes, p)
	s.t.Logf("$ %s: %v\n%s%s", strings.Join(line, " "), err, p.log, p.messages)
}

// failOn are the verdicts that are failures in every run.
const failOn = "error,incomplete,denied,empty"

// tailspan runs another command and returns its output.
func (s *stage) tailspan(t *testing.T, words ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), needed(t, "TAILSPAN_COMMAND"), words...)
	cmd.Dir, cmd.Env = s.work, s.env
	var messages strings.Builder
	cmd.Stderr = &messages
	out, err := cmd.Output()
	require.NoError(t, err, "tailspan %s\n%s%s", strings.Join(words, " "), out, messages.String())
	return string(out)
}

// awaitAnswers waits until the model has answered the agent n times.
func (s *stage) awaitAnswers(n int) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return len(s.calls()) >= n && !s.calls()[n-1].Done.IsZero() }, time.Minute, 20*time.Millisecond, "answers")
}

// calls returns the model calls of the agent, without those of the CLI itself.
func (s *stage) calls() (list []mockmodel.Served) {
	for _, served := range s.model.Served() {
		if s.cli.asksAsAgent(&served.Request) {
			list = append(list, served)
		}
	}
	return list
}

// settle waits for the roots of the transcript, and stops the collector when all its exports have been answered; stopped
// earlier, it would send the last one again.
func (s *stage) settle(roots int) {
	s.t.Helper()
	end := time.Now().Add(15 * time.Second)
	for len(runsOf(s.transcript.all())) < roots && time.Now().Before(end) {
		s.wait(100 * time.Millisecond)
	}
	require.NoError(s.t, s.collector.Await(s.t.Context(), "answers to all exports", time.Minute, func(ctx context.Context) (bool, error) {
		accepted, err := program.Scrape(ctx, s.metrics, "otelcol_receiver_accepted_spans")
		return err == nil && int(accepted) == s.transcript.count(), err
	}))
	require.NoError(s.t, s.collector.Stop(program.StopGrace))
}

// endGrace is how long the collector keeps a run open after its end was visible.
const endGrace = 3 * time.Second

// pauseForLong waits until the previous run is over in the collector.
func (s *stage) pauseForLong() { s.wait(endGrace + 2*time.Second) }

// pause is the time between two prompts.
func (s *stage) pause() { s.wait(2 * time.Second) }

// wait waits for real time, which the CLI's own clock sees.
func (s *stage) wait(d time.Duration) {
	s.t.Helper()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.t.Context().Done():
		require.NoError(s.t, s.t.Context().Err())
	}
}
