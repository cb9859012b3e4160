package trial

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
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

	"github.com/tailspan/tailspan/deploy/internal/otlpsink"
	"github.com/tailspan/tailspan/deploy/internal/program"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/telemetry"
)

// audience is a sink that turns what comes into the neutral events of the cases.
type audience struct {
	server *httptest.Server
	refuse func() error // nil for none; set before anything comes

	mu     sync.Mutex
	events []event
	exits  []map[string]any // of processes
	tokens map[string]int
}

func newAudience(t *testing.T) *audience {
	a := &audience{tokens: map[string]int{}}
	a.server = httptest.NewServer(otlpsink.Handler(a.take))
	t.Cleanup(a.server.Close)
	return a
}

func (a *audience) take(_ *http.Request, b otlpsink.Batch) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.refuse != nil {
		if err := a.refuse(); err != nil {
			return err
		}
	}
	for _, span := range b.Spans() {
		attrs := span.Attributes().AsRaw()
		if attrs[telemetry.AttrGenAIOperationName] != "invoke_agent" {
			continue
		}
		for key, attr := range map[string]string{"in": telemetry.AttrGenAIInputTokens, "out": telemetry.AttrGenAIOutputTokens, "cache_read": telemetry.AttrUsageCacheRead} {
			if n, ok := attrs[attr].(int64); ok {
				a.tokens[key] += int(n)
			}
		}
	}
	for _, record := range b.Records() {
		attrs := record.Attributes().AsRaw()
		text := func(attr string) string { s, _ := attrs[attr].(string); return s }
		switch record.EventName() {
		case "tailspan.text":
			a.events = append(a.events, event{Kind: "text", Text: record.Body().Str()})
		case "tailspan.tool_use":
			a.events = append(a.events, event{Kind: "tool_use", Name: text(telemetry.AttrGenAIToolName), ID: text(telemetry.AttrGenAIToolCallID), Arg: events.Preview(text(telemetry.AttrToolTarget))})
		case "tailspan.tool_result":
			a.events = append(a.events, event{Kind: "tool_result", ID: text(telemetry.AttrGenAIToolCallID), Error: attrs[telemetry.AttrToolError] == true})
		case "tailspan.session_end":
			a.events = append(a.events, event{Kind: "session_end", Error: attrs[telemetry.AttrEndError] == true})
		case telemetry.EventNameProcessExited:
			a.exits = append(a.exits, attrs)
		}
	}
	return nil
}

// heard gives the events so far.
func (a *audience) heard() []event {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.events)
}

// exited gives the records of processes that ended.
func (a *audience) exited() []map[string]any {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.exits)
}

// stage is a case that is being played.
type stage struct {
	*audience
	t         *testing.T
	caseDir   string
	dir       string // the folder that is watched
	want      expectation
	setup     collectorSetup
	c         *collectorRun
	malformed int
	warnings  int
}

// newStage sets up the collector without storage, so that stopping it closes all spans and tells all tokens.
func newStage(t *testing.T, name string) *stage {
	s := &stage{audience: newAudience(t), t: t, caseDir: caseDir(t, name), dir: t.TempDir()}
	s.want = readExpectation(t, s.caseDir)
	s.setup = collectorSetup{include: []string{filepath.Join(s.dir, "**", "*.jsonl")}, endpoint: s.server.URL}
	return s
}

func (s *stage) start() {
	s.t.Helper()
	s.c = startCollector(s.t, s.setup)
	s.c.ready()
}

var malformedLines = regexp.MustCompile(`(?m)^otelcol_receiver_agent_stream_lines_not_parsed\S*reason="malformed"\S* (\d+)$`)

// stop ends the collector, which hands on all it holds, and counts what it told beside events.
func (s *stage) stop() {
	s.t.Helper()
	body, err := program.Get(s.t.Context(), s.c.url)
	require.NoError(s.t, err)
	defer body.Close()
	metrics, err := io.ReadAll(body)
	require.NoError(s.t, err)
	for _, m := range malformedLines.FindAllSubmatch(metrics, -1) {
		n, err := strconv.Atoi(string(m[1]))
		require.NoError(s.t, err)
		s.malformed += n
	}
	s.c.end(syscall.SIGTERM)
	s.warnings += bytes.Count(s.c.log.Bytes(), []byte("\twarn\t")) + bytes.Count(s.c.log.Bytes(), []byte("\terror\t"))
}

// steps begins to play the case's writer.
func (s *stage) steps(environment ...string) *exec.Cmd {
	s.t.Helper()
	cmd := exec.Command("sh", filepath.Join(s.caseDir, "steps.sh"), s.dir)
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stderr = os.Stderr
	require.NoError(s.t, cmd.Start())
	return cmd
}

// settle is the time that the cases allow, and demand, between the end of the writing and the end of the collector: what
// comes in it too much must not come.
func (s *stage) settle() { <-time.After(5 * time.Second) }

// finish waits for the writer, and ends the collector after the time that the case gives.
func (s *stage) finish(cmd *exec.Cmd) {
	s.t.Helper()
	require.NoError(s.t, cmd.Wait())
	s.settle()
	s.stop()
}

// check holds the events to the case. Tokens are told by the spans of runs, which a collector with storage keeps open.
func (s *stage) check(ordered bool) {
	s.t.Helper()
	assert.Empty(s.t, compareEvents(s.want.events, s.heard(), ordered), "events")
	if s.setup.store == "" && len(s.want.tokens) > 0 {
		got := maps.Clone(s.tokens)
		maps.DeleteFunc(got, func(key string, _ int) bool { _, told := s.want.tokens[key]; return !told })
		assert.Equal(s.t, s.want.tokens, got, "tokens")
	}
}

// ends waits until a file ends in something.
func (s *stage) ends(path, suffix string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		content, err := os.ReadFile(filepath.Join(s.dir, path))
		return err == nil && strings.HasSuffix(string(content), suffix)
	}, 30*time.Second, 10*time.Millisecond, "%s to end in %q", path, suffix)
}

// TestCases plays the cases that need a collector at work: those with steps, and those whose expect.md tells them in prose.
func TestCases(t *testing.T) {
	built(t, "TAILSPAN_COLLECTOR")
	caseDir(t, ".")
	for name, play := range map[string]func(*stage){
		"067-half-line-then-rest": func(s *stage) {
			s.start()
			s.finish(s.steps())
			s.check(true)
			assert.Zero(s.t, s.malformed)
		},
		"067-half-line-then-rest/restart": func(s *stage) { // while the line is half, three times
			s.setup.store = filepath.Join(s.t.TempDir(), "store")
			s.start()
			cmd := s.steps()
			for _, half := range []string{`"userType":"external"`, "é\xf0\x9f", "09:00:02.00"} {
				s.ends("s.jsonl", half)
				s.stop()
				s.start()
			}
			s.finish(cmd)
			s.check(true)
			assert.Zero(s.t, s.malformed)
		},
		"068-flush-timer-splits-line":  playOneFile,
		"070-rewrite-same-or-larger":   playOneFile,
		"071-inode-reuse-and-twins":    playTwins,
		"073-many-files":               func(s *stage) { playManyFiles(s, "end") },
		"073-many-files/beginning":     func(s *stage) { playManyFiles(s, "beginning") },
		"074-huge-transcript":          func(s *stage) { playHugeFile(s, false) },
		"074-huge-transcript/restart":  func(s *stage) { playHugeFile(s, true) },
		"076-codex-archive-move":       playOneFile,
		"076-codex-archive-move/alone": playWithoutArchive,
		"037-codex-forked-rollout":     playFork,
		"041-gemini-json-rewritten":    playRewrites,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they mostly wait
			folder, _, _ := strings.Cut(name, "/")
			play(newStage(t, folder))
		})
	}
}

func playOneFile(s *stage) {
	s.start()
	s.finish(s.steps())
	s.check(true)
}

func playTwins(s *stage) {
	s.start()
	s.finish(s.steps())
	s.check(false)
	assert.Less(s.t, s.warnings, 5, "a storm of warnings:\n%s", s.c.log)
}

// playManyFiles allows few open files. What is meant by old files with start_at: end are those of before the start.
func playManyFiles(s *stage, startAt string) {
	const files = 5000
	s.setup.files = 256
	s.setup.more = fmt.Sprintf("receivers: {agent_stream: {start_at: %s}}", startAt)
	var cmd *exec.Cmd
	if startAt == "end" {
		cmd = s.steps()
		s.ends("p199/24.jsonl", "\n")
		s.start()
	} else {
		s.start()
		cmd = s.steps()
		for range files {
			s.want.events = append(s.want.events, wanted{event: event{Kind: "text", Text: "One."}})
		}
		s.want.tokens = nil
	}
	require.NoError(s.t, cmd.Wait())
	require.Eventually(s.t, func() bool { return len(s.heard()) >= len(s.want.events) }, time.Minute, 50*time.Millisecond)
	before, start := s.c.usage(), time.Now()
	s.settle()
	after := s.c.usage()
	load := float64(after.CPU-before.CPU) / float64(time.Since(start))
	s.t.Logf("start_at %s: idle CPU %.1f %% of a core, peak memory %d MiB", startAt, 100*load, after.PeakRSS>>20)
	assert.Less(s.t, load, 0.05, "idle CPU")
	// What is read from its beginning is a session that stays open, in each of the files; 40 KiB is what one may take.
	limit := int64(100 << 20)
	if startAt == "beginning" {
		limit += files * 40 << 10
	}
	assert.Less(s.t, after.PeakRSS, limit, "memory")
	s.stop()
	s.check(false)
	assert.NotContains(s.t, s.c.log.String(), "too many open files")
}

// playHugeFile writes 64 MiB, or the 1 GiB that is meant. It counts texts, and whether one comes twice.
func playHugeFile(s *stage, restart bool) {
	lines := 1 << 15
	if whole() {
		lines = 1 << 19
	}
	if restart {
		s.setup.store = filepath.Join(s.t.TempDir(), "store")
	}
	texts := 0
	s.server.Config.Handler = otlpsink.Handler(func(r *http.Request, b otlpsink.Batch) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, record := range b.Records() {
			if record.EventName() == "tailspan.text" {
				texts++
			}
		}
		return nil
	})
	count := func() int { s.mu.Lock(); defer s.mu.Unlock(); return texts }
	s.start()
	cmd := s.steps(fmt.Sprint("N=", lines))
	if restart {
		require.Eventually(s.t, func() bool { return count() > lines/3 }, 5*time.Minute, time.Millisecond)
		s.stop()
		assert.Less(s.t, count(), lines, "it was to be stopped in the middle")
		s.start()
	}
	require.NoError(s.t, cmd.Wait())
	require.Eventually(s.t, func() bool { return count() > lines }, 5*time.Minute, 10*time.Millisecond)
	s.settle()
	peak := s.c.usage().PeakRSS
	s.stop()
	assert.Equal(s.t, lines+1, count(), "texts")
	s.t.Logf("%d lines of 2 KB: peak memory %d MiB", lines, peak>>20)
	assert.Less(s.t, peak, int64(200<<20), "memory")
}

// playWithoutArchive watches the folder that the file is moved out of, and no other.
func playWithoutArchive(s *stage) {
	s.setup.include = []string{filepath.Join(s.dir, "sessions", "**", "*.jsonl")}
	playOneFile(s)
}

// playFork has both files there at the start.
func playFork(s *stage) {
	for _, name := range []string{"a-parent.jsonl", "b-fork.jsonl"} {
		content, err := os.ReadFile(filepath.Join(s.caseDir, name))
		require.NoError(s.t, err)
		require.NoError(s.t, os.WriteFile(filepath.Join(s.dir, name), content, 0o600))
	}
	s.start()
	s.settle()
	s.stop()
	s.check(false)
}

// playRewrites plays the steps that expect.md tells: copied, replaced by rename, rewritten in two halves.
func playRewrites(s *stage) {
	path := filepath.Join(s.dir, "session-x.json")
	s.setup.include = []string{filepath.Join(s.dir, "*.json")}
	version := func(n int) []byte {
		content, err := os.ReadFile(filepath.Join(s.caseDir, fmt.Sprintf("v%d.json", n)))
		require.NoError(s.t, err)
		return content
	}
	polls := func() { <-time.After(500 * time.Millisecond) } // more than two of them
	s.start()
	require.NoError(s.t, os.WriteFile(path, version(1), 0o600))
	polls()
	require.NoError(s.t, os.WriteFile(path+".tmp", version(2), 0o600))
	require.NoError(s.t, os.Rename(path+".tmp", path))
	polls()
	last := version(3)
	f, err := os.Create(path)
	require.NoError(s.t, err)
	_, err = f.Write(last[:len(last)/2])
	require.NoError(s.t, err)
	<-time.After(300 * time.Millisecond)
	_, err = f.Write(last[len(last)/2:])
	require.NoError(s.t, err)
	require.NoError(s.t, f.Close())
	s.settle()
	s.stop()
	s.check(true)
	assert.LessOrEqual(s.t, s.malformed, 1)
}

// TestChildCases has the receiver run the children of the cases; that `tailspan run` does as well is tested in
// cmd/tailspan, with the same scripts.
func TestChildCases(t *testing.T) {
	built(t, "TAILSPAN_COLLECTOR")
	caseDir(t, ".")
	for name, play := range map[string]func(*stage){
		"077-stderr-flood": func(s *stage) {
			begun := time.Now()
			s.startChild()
			s.awaitExit()
			assert.Less(s.t, time.Since(begun), 10*time.Second)
			s.stop()
			s.check(true)
			exit := s.exited()[0]
			assert.EqualValues(s.t, 3, exit[telemetry.AttrProcessExitCode])
			kept, _ := exit[telemetry.AttrProcessStderr].(string)
			assert.NotEmpty(s.t, kept)
			assert.LessOrEqual(s.t, len(kept), 8<<10)
			assert.NotContains(s.t, kept, "\x1b")
			assert.NotContains(s.t, s.c.log.String(), "\x1b[31mred")
		},
		"079-hang-after-result": func(s *stage) {
			s.startChild()
			require.Eventually(s.t, func() bool { return len(s.heard()) == len(s.want.events) }, 10*time.Second, 10*time.Millisecond)
			assert.Empty(s.t, compareEvents(s.want.events, s.heard(), true), "the end is told while the child is there")
			assert.Empty(s.t, s.exited())
			s.endsWithin(10 * time.Second)
			s.check(true)
			assert.Len(s.t, s.exited(), 1)
		},
		"080-kill-process-group": func(s *stage) {
			pidFile := filepath.Join(s.dir, "worker.pid")
			s.startChild("WORKER_PID_FILE=" + pidFile)
			var worker int
			require.Eventually(s.t, func() bool {
				text, err := os.ReadFile(pidFile)
				if err == nil {
					worker, err = strconv.Atoi(strings.TrimSpace(string(text)))
				}
				return err == nil
			}, 10*time.Second, 10*time.Millisecond)
			wrapper, err := syscall.Getpgid(worker)
			require.NoError(s.t, err)
			begun := time.Now()
			s.stop()
			for _, pid := range []int{worker, wrapper} { // an orphan is reaped by init, which takes its time
				assert.Eventually(s.t, func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) },
					5*time.Second-time.Since(begun), 10*time.Millisecond, "process %d is there, or a zombie", pid)
			}
			s.check(true)
		},
		"082-reader-goes-away": playBlockedConsumer,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(newStage(t, name))
		})
	}
}

// startChild has the receiver run the case's child, with variables added to its environment.
func (s *stage) startChild(environment ...string) {
	s.t.Helper()
	s.runCommand([]string{"sh", filepath.Join(s.caseDir, "child.sh")}, environment...)
}

func (s *stage) runCommand(words []string, environment ...string) {
	s.t.Helper()
	env := map[string]string{}
	for _, pair := range environment {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	command, err := json.Marshal(map[string]any{"command": words, "env": env, "dir": s.dir})
	require.NoError(s.t, err)
	s.setup.more = fmt.Sprintf("receivers: {agent_stream: {commands: [%s]}}", command)
	s.setup.gates = "receiver.agent_stream.commands"
	s.start()
}

func (s *stage) awaitExit() {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return len(s.exited()) == 1 }, time.Minute, 10*time.Millisecond)
}

// endsWithin stops the collector.
func (s *stage) endsWithin(limit time.Duration) {
	s.t.Helper()
	begun := time.Now()
	s.stop()
	assert.Less(s.t, time.Since(begun), limit, "the stop")
}

// playBlockedConsumer refuses everything while the child runs, for 5 s or the 60 s that are meant.
func playBlockedConsumer(s *stage) {
	blocked := 5 * time.Second
	if whole() {
		blocked = time.Minute
	}
	done := filepath.Join(s.dir, "done")
	begun := time.Now()
	s.refuse = func() error {
		if time.Since(begun) < blocked {
			return errors.New("blocked")
		}
		return nil
	}
	s.runCommand([]string{"sh", "-c", `sh "$1"; : > "$2"`, "sh", filepath.Join(s.caseDir, "child.sh"), done})
	require.Eventually(s.t, func() bool { _, err := os.Stat(done); return err == nil }, blocked, 10*time.Millisecond, "the child to end while the consumer is blocked")
	assert.Empty(s.t, s.heard())
	s.awaitExit()
	peak := s.c.usage().PeakRSS
	s.stop()
	s.t.Logf("peak memory %d MiB", peak>>20)
	assert.Less(s.t, peak, int64(200<<20))
	lines := make([]wanted, 100_000, 100_001)
	for i := range lines {
		lines[i] = wanted{event: event{Kind: "text", Text: fmt.Sprint("line ", i)}}
	}
	s.want.events = append(lines, s.want.events...)
	s.check(true)
}

// TestCaseOfTwoBodies is case 053, which has two inputs for the command.
func TestCaseOfTwoBodies(t *testing.T) {
	command := built(t, "TAILSPAN_COMMAND")
	dir := caseDir(t, "053-openai-body-and-cut-call")
	var got []event
	malformed := -1
	for _, input := range []string{"body.json", "cut.sse"} {
		out, err := exec.Command(command, "events", "--provider", "openai_compatible", filepath.Join(dir, input)).Output()
		if exit := new(exec.ExitError); err != nil {
			require.ErrorAs(t, err, &exit) // a stream that was cut is told by the exit code too
		}
		got = append(got, decodeEvents(t, out)...)
		if input == "body.json" {
			var summary struct{ Malformed int }
			lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
			require.NoError(t, json.Unmarshal(lines[len(lines)-1], &summary))
			malformed = summary.Malformed
		}
	}
	assert.Empty(t, compareEvents(readExpectation(t, dir).events, got, true))
	assert.Zero(t, malformed, "lines of body.json")
}
