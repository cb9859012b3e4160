package live

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
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

// sink keeps the spans that one sender exports.
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

// stage is where one CLI works: a model server, a home folder, a collector that follows the transcripts, and a sink each for
// what the collector and `tailspan run` export.
type stage struct {
	place

	t          *testing.T
	cli        cli
	model      *mockmodel.Server
	env        []string
	stream     *sink // of tailspan run
	transcript *sink // of the collector
	collector  *program.Process
	stdin      *os.File // of the next process; nil: empty
	processes  []period
	raw        []string // the output of each process
}

// period is when something was at work.
type period struct{ start, end time.Time }

func needed(t *testing.T, variable string) string {
	t.Helper()
	v := os.Getenv(variable)
	if v == "" {
		t.Skipf("%s is not set: make live installs the CLIs and runs this test", variable)
	}
	return v
}

func newStage(t *testing.T, c cli, script mockmodel.Script) *stage {
	t.Helper()
	root := needed(t, "TAILSPAN_CLIS")
	s := &stage{t: t, cli: c, stream: newSink(t), transcript: newSink(t)}
	var err error
	s.model, err = mockmodel.Start(script)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.model.Close()) })
	s.place = place{home: t.TempDir(), work: t.TempDir(), url: s.model.URL()}
	path := "/usr/local/bin:/usr/bin:/bin"
	if c.node22 {
		path = filepath.Join(root, "node22", "node_modules", ".bin") + ":" + path
	}
	s.env = append(c.home(t, s.place), "HOME="+s.home, "PATH="+filepath.Join(root, c.program, "node_modules", ".bin")+":"+path, "TMPDIR="+t.TempDir(),
		"TERM=dumb", "NO_COLOR=1", "XDG_CONFIG_HOME="+s.home+"/.config", "XDG_DATA_HOME="+s.home+"/.local/share", "XDG_STATE_HOME="+s.home+"/.state", "XDG_CACHE_HOME="+s.home+"/.cache")
	s.startCollector()
	return s
}

func (s *stage) startCollector() {
	var include []string
	for _, glob := range s.cli.sessions {
		include = append(include, filepath.Join(s.home, glob))
	}
	config, err := yaml.Marshal(args{
		"receivers": args{"agent_stream": args{"include": include, "start_at": "beginning", "poll_interval": "200ms", "force_flush_period": "500ms", "end_grace": endGrace.String()}},
		"exporters": args{"otlp_http": args{"endpoint": s.transcript.URL, "compression": "none", "sending_queue": args{"enabled": false}}},
		"service": args{"telemetry": args{"metrics": args{"level": "none"}},
			"pipelines": args{"traces": args{"receivers": []string{"agent_stream"}, "exporters": []string{"otlp_http"}}}},
	})
	require.NoError(s.t, err)
	dir := s.t.TempDir()
	path := filepath.Join(dir, "config.yaml")
	require.NoError(s.t, os.WriteFile(path, config, 0o600))
	cmd := exec.Command(needed(s.t, "TAILSPAN_COLLECTOR"), "--config", path)
	s.collector, err = program.Start("collector", cmd, nil, filepath.Join(dir, "log"))
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = s.collector.Stop(program.StopGrace) }) // stopped already by settle, where the test came so far
}

// atWork bounds how many CLIs work at a time, since their times are compared.
var atWork = make(chan struct{}, 2)

// run runs the CLI below `tailspan run` and returns its exit code. at is called with the process once it was started.
func (s *stage) run(words []string, at func(*os.Process)) int {
	s.t.Helper()
	s.raw = append(s.raw, filepath.Join(s.t.TempDir(), "raw"))
	line := append([]string{"run", "--stream", "--raw", s.raw[len(s.raw)-1], "--otlp", s.stream.URL, "--mode", "verbose", "--", s.cli.program}, words...)
	cmd := exec.CommandContext(s.t.Context(), needed(s.t, "TAILSPAN_COMMAND"), line...)
	cmd.Dir, cmd.Env = s.work, s.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if s.stdin != nil {
		cmd.Stdin = s.stdin
	}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	require.NoError(s.t, cmd.Start())
	if at != nil {
		at(cmd.Process)
	}
	err := cmd.Wait()
	s.processes = append(s.processes, period{began, time.Now()})
	s.t.Logf("$ %s: %v\n%s", strings.Join(line, " "), err, out.String())
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(s.t, err)
	}
	return cmd.ProcessState.ExitCode()
}

// awaitAnswers waits until the model has answered the agent n times.
func (s *stage) awaitAnswers(n int) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return len(s.calls()) >= n && !s.calls()[n-1].Done.IsZero() }, time.Minute, 20*time.Millisecond, "answers")
}

// calls are what the model served to the agent, without what the CLI asks for itself.
func (s *stage) calls() (list []mockmodel.Served) {
	for _, served := range s.model.Served() {
		if s.cli.asksAsAgent(&served.Request) {
			list = append(list, served)
		}
	}
	return list
}

// settle waits for the roots of the transcript, and stops the collector.
func (s *stage) settle(roots int) {
	s.t.Helper()
	end := time.Now().Add(15 * time.Second)
	for len(runsOf(s.transcript.all())) < roots && time.Now().Before(end) {
		s.wait(100 * time.Millisecond)
	}
	require.NoError(s.t, s.collector.Stop(program.StopGrace))
}

// endGrace is how long a run that has shown its end stays open in the collector.
const endGrace = 3 * time.Second

// pauseForLong lets the run before be over in the collector.
func (s *stage) pauseForLong() { s.wait(endGrace + 2*time.Second) }

// pause is the time between two prompts.
func (s *stage) pause() { s.wait(2 * time.Second) }

// wait lets time pass, which the CLI's own clock sees.
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
