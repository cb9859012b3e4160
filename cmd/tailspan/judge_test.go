//go:build linux || darwin

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/guard"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/verdict"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/process"
)

// Lines of Claude Code from which the streams of these tests are made.
const (
	startLine  = `{"type":"system","subtype":"init","session_id":"s1","model":"claude-x","cwd":"/w","tools":[],"uuid":"u0"}`
	wordsLine  = `{"type":"assistant","session_id":"s1","uuid":"u1","message":{"id":"m1","role":"assistant","model":"claude-x","usage":{"input_tokens":10,"output_tokens":1},"content":[{"type":"text","text":"Working."}]}}`
	callLine   = `{"type":"assistant","session_id":"s1","uuid":"u2","message":{"id":"m2","role":"assistant","model":"claude-x","usage":{"input_tokens":10,"output_tokens":1},"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"go test"}}]}}`
	deniedLine = `{"type":"user","session_id":"s1","uuid":"u3","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"Permission to use Bash with command go test has been denied."}]},"tool_result_meta":[{"id":"t1","non_execution_kind":"permission-rule"}]}`
	okLine     = `{"type":"result","subtype":"success","is_error":false,"session_id":"s1","uuid":"u4","result":""}`
	failedLine = `{"type":"result","subtype":"success","is_error":true,"session_id":"s1","uuid":"u4","result":"Credit balance is too low"}`
)

// ending is a way in which an agent can end.
type ending struct {
	name    string
	lines   []string
	half    string // start of a line without an end
	then    string // what the shell does after the lines
	code    int
	verdict string
	outcome string
	said    string // the agent's text
}

var endings = []ending{
	{"ok", []string{startLine, wordsLine, okLine}, "", "", 0, "", "ok", "Working.\n"},
	{"crash", []string{startLine, wordsLine}, "", "kill -SEGV $$", 139, "error: killed by SIGSEGV", "killed", "Working.\n"},
	{"killed", []string{startLine, wordsLine, callLine}, "", "kill -KILL $$", 137, "error: killed by SIGKILL in Bash: go test", "killed", "Working.\n"},
	{"no result", []string{startLine, wordsLine}, "", "", 0, "incomplete: ended without a result", "incomplete", "Working.\n"},
	{"half a line", []string{startLine, wordsLine}, okLine[:40], "", 0, "incomplete: ended without a result", "incomplete", "Working.\n"},
	{"error with exit 1", []string{startLine, wordsLine, failedLine}, "", "exit 1", 1, "error: Credit balance is too low", "error", "Working.\n"},
	{"error with exit 0", []string{startLine, wordsLine, failedLine}, "", "", 0, "error: Credit balance is too low", "error", "Working.\n"},
	{"refused calls", []string{startLine, wordsLine, callLine, deniedLine, okLine}, "", "", 0, "denied: 1 refused call (Bash)", "ok", "Working.\n"},
	{"nothing done", []string{startLine, okLine}, "", "", 0, "empty: did nothing", "ok", ""},
	{"another signal", []string{startLine, wordsLine}, "", "kill -USR1 $$", 128 + int(syscall.SIGUSR1), "error: killed by SIGUSR1", "killed", "Working.\n"},
}

// script returns a command that ends this way.
func (e *ending) script(t *testing.T) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stream.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(e.lines, "\n")+"\n"+e.half), 0o600))
	return []string{"sh", "-c", `cat "$0"; ` + e.then, path}
}

// terminal returns what a terminal shows of the output written to it.
func terminal(t *testing.T, into *bytes.Buffer) (tty *os.File, end func()) {
	t.Helper()
	master, tty, err := pty.Open()
	require.NoError(t, err)
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		_, _ = io.Copy(into, master) // ends with an error when the terminal is closed
	}()
	return tty, func() { _ = tty.Close(); <-shown; _ = master.Close() }
}

// TestVerdicts checks every way to end in every mode, on a terminal and in a pipe: exit code, the agent's text on
// standard output, one line on standard error, and the span.
func TestVerdicts(t *testing.T) {
	for i := range endings {
		e := &endings[i]
		for _, mode := range []string{"default", "verbose", "quiet", "json"} {
			for _, onTerminal := range []bool{false, true} {
				t.Run(e.name+" "+mode+map[bool]string{false: " pipe", true: " terminal"}[onTerminal], func(t *testing.T) {
					testVerdict(t, e, mode, onTerminal)
				})
			}
		}
	}
}

func testVerdict(t *testing.T, e *ending, mode string, onTerminal bool) {
	sink := newOTLPSink(t)
	c := command(t, append([]string{"run", "--otlp", sink.URL, "--mode", mode, "--"}, e.script(t)...)...)
	stdout, stderr := &bytes.Buffer{}, &bytes.Buffer{}
	c.Stdout, c.Stderr = stdout, stderr
	if onTerminal {
		out, endOut := terminal(t, stdout)
		errs, endErr := terminal(t, stderr)
		c.Stdout, c.Stderr = out, errs
		assert.Equal(t, e.code, exitCode(t, c.Run()))
		endOut()
		endErr()
	} else {
		assert.Equal(t, e.code, exitCode(t, c.Run()))
	}
	said, reported := strings.ReplaceAll(stdout.String(), "\r\n", "\n"), strings.ReplaceAll(stderr.String(), "\r\n", "\n")
	want := ""
	if e.verdict != "" && mode != "json" {
		want = "tailspan: " + e.verdict + "\n"
	}
	assert.Equal(t, want, reported)
	switch mode {
	case "default":
		assert.Equal(t, e.said, said)
	case "json":
		assert.Equal(t, strings.Join(e.lines, "\n")+"\n"+e.half, said)
	case "verbose":
		assert.True(t, strings.HasPrefix(said, e.said), said)
	}
	assert.NotContains(t, said, "tailspan: ")
	span, _ := sink.span(t, runSpan)
	attrs := span.Attributes().AsRaw()
	assert.Equal(t, e.outcome, attrs[otlp.AttrRunOutcome])
	assert.Equal(t, e.outcome == "error" || e.outcome == "killed" || e.outcome == "incomplete", span.Status().Code() == ptrace.StatusCodeError, attrs)
}

// exitCode returns the exit code of a finished command.
func exitCode(t *testing.T, err error) int {
	t.Helper()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode()
	}
	require.NoError(t, err)
	return 0
}

// TestFailOn: a verdict of --fail-on makes the exit code 1 if the command returns 0, and is reported even in mode json.
func TestFailOn(t *testing.T) {
	for i := range endings {
		e := &endings[i]
		kind, _, _ := strings.Cut(e.verdict, ":")
		if kind == "" {
			kind = "error"
		}
		for _, mode := range []string{"default", "json"} {
			t.Run(e.name+" "+mode, func(t *testing.T) {
				want := e.code
				if want == 0 && e.verdict != "" {
					want = 1
				}
				code, _, stderr := begin(t, append([]string{"--mode", mode, "--fail-on", kind, "--"}, e.script(t)...)...).end(t)
				assert.Equal(t, want, code)
				if want == 1 && e.code == 0 || mode == "default" {
					assert.Contains(t, stderr, e.verdict)
				} else {
					assert.Empty(t, stderr)
				}
				others := strings.Join(without([]string{"error", "incomplete", "denied", "empty"}, kind), ",")
				code, _, _ = begin(t, append([]string{"--mode", mode, "--fail-on", others, "--"}, e.script(t)...)...).end(t)
				assert.Equal(t, e.code, code, "--fail-on %s", others)
			})
		}
	}
}

func without(all []string, one string) (left []string) {
	for _, s := range all {
		if s != one {
			left = append(left, s)
		}
	}
	return left
}

// looping is a shell script that acts like an agent which repeats a tool call. Each call is a model call with 1,000
// input tokens. A file contains the number of calls.
func looping(t *testing.T, calls int) (script []string, made func() int) {
	t.Helper()
	count := filepath.Join(t.TempDir(), "calls")
	return []string{"sh", "-c", `
echo '` + startLine + `'
i=0
while [ $i -lt ` + strconv.Itoa(calls) + ` ]; do
	i=$((i+1)); echo $i > "$0.new"; mv "$0.new" "$0"
	echo '{"type":"assistant","session_id":"s1","uuid":"a'$i'","message":{"id":"m'$i'","role":"assistant","model":"claude-x","usage":{"input_tokens":1000,"output_tokens":1},"content":[{"type":"tool_use","id":"t'$i'","name":"Bash","input":{"command":"go test"}}]}}'
	sleep 0.3
	echo '{"type":"user","session_id":"s1","uuid":"b'$i'","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t'$i'","is_error":true,"content":"FAIL"}]}}'
done
echo '` + okLine + `'`, count}, func() int {
			content, err := os.ReadFile(count)
			require.NoError(t, err)
			n, err := strconv.Atoi(strings.TrimSpace(string(content)))
			require.NoError(t, err)
			return n
		}
}

// TestUnwatched: for options that depend on the verdict, a run that was not watched to its end is a failure.
func TestUnwatched(t *testing.T) {
	for name, c := range map[string]struct {
		judge  judge
		exit   process.Exit
		status int
	}{
		"nothing depends on it": {status: 0},
		"the command failed":    {judge: judge{failures: []verdict.Kind{verdict.KindError}}, exit: process.Exit{Code: 3}, status: 3},
		"fail-on":               {judge: judge{failures: []verdict.Kind{verdict.KindDenied}}, status: 1},
		"limit":                 {judge: judge{limits: guard.Limits{MaxTokens: 5}}, status: 1},
		"warning":               {judge: judge{limits: guard.Limits{StallAfter: time.Minute}}, status: 0},
		"summary":               {judge: judge{summary: os.Stdout}, status: 1},
	} {
		t.Run(name, func(t *testing.T) {
			var reported []string
			c.judge.report = func(text string) { reported = append(reported, text) }
			assert.Equal(t, c.status, c.judge.finish(nil, "", c.exit))
			assert.Equal(t, c.status == 1, len(reported) == 1, reported)
		})
	}
}

// TestLostOutput: if the failure is in the part of the output that was lost, options that depend on the verdict count that as a failure.
func TestLostOutput(t *testing.T) {
	kept := strings.Join([]string{startLine, wordsLine, okLine}, "\n") + "\n"
	e := ending{lines: []string{startLine, wordsLine, okLine, failedLine}}
	for name, c := range map[string]struct {
		flags  []string
		status int
	}{
		"nothing depends on it": {nil, 0},
		"fail-on":               {[]string{"--fail-on", "error"}, 1},
		"limit":                 {[]string{"--max-cost", "5"}, 1},
		"summary":               {[]string{"--summary-file", filepath.Join(t.TempDir(), "summary.md")}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			flags := append([]string{"--max-spool", strconv.Itoa(len(kept))}, c.flags...)
			code, stdout, stderr := begin(t, append(append(flags, "--"), e.script(t)...)...).end(t)
			assert.Equal(t, c.status, code)
			assert.Equal(t, "Working.\n", stdout)
			assert.Contains(t, stderr, "tailspan: incomplete: its output was cut\n")
			assert.Equal(t, c.status, strings.Count(stderr, "a part of the output was lost"), stderr)
			if name == "summary" {
				page, err := os.ReadFile(c.flags[1])
				require.NoError(t, err)
				assert.Contains(t, string(page), "its output was cut")
			}
		})
	}
}

// TestTruncatedOutput has a command that truncates its own output before all of it was read, with what it said of its failure.
func TestTruncatedOutput(t *testing.T) {
	e := ending{lines: []string{startLine, wordsLine, failedLine}, then: "echo done > /dev/stdout"}
	const report = "tailspan: the command truncated its own output"
	sink := newOTLPSink(t)
	code, _, stderr := begin(t, append([]string{"--otlp", sink.URL, "--"}, e.script(t)...)...).end(t)
	assert.Zero(t, code)
	assert.Equal(t, 1, strings.Count(stderr, report), stderr)
	exits := sink.named(otlp.EventNameProcessExited)
	require.Len(t, exits, 1)
	defer sink.lock()()
	assert.True(t, slices.ContainsFunc(sink.spans, func(s ptrace.Span) bool {
		_, marked := s.Attributes().Get(otlp.AttrProcessDropped)
		return marked
	}))

	code, _, stderr = begin(t, append([]string{"--fail-on", "denied", "--"}, e.script(t)...)...).end(t)
	assert.Equal(t, 1, code)
	assert.Equal(t, 1, strings.Count(stderr, report), stderr)

	code, _, stderr = begin(t, append([]string{"--pipe", "--fail-on", "error", "--"}, e.script(t)...)...).end(t)
	assert.Equal(t, 1, code)
	assert.NotContains(t, stderr, report)
	assert.Contains(t, stderr, "error: Credit balance is too low")
}

// TestLimits: a limit warns at 80 %, ends the agent within one model call, and is on the span of the run.
func TestLimits(t *testing.T) {
	prices := filepath.Join(t.TempDir(), "prices.yaml")
	require.NoError(t, os.WriteFile(prices, []byte("- {model: claude-*, input: 10, output: 50}\n"), 0o600))
	for _, c := range []struct {
		name      string
		flags     []string
		reason    otlp.StopReason
		lines     []string
		lastCalls [2]int // the smallest and the largest possible number of calls
	}{
		{"cost", []string{"--max-cost", "0.05", "--prices", prices}, otlp.StopMaxCost, []string{
			"tailspan: cost is ~$0.04, 80 % of --max-cost $0.05\n", "tailspan: cost is ~$0.06, stopping the agent (--max-cost $0.05)\n",
			"tailspan: error: stopped: it cost too much in Bash: go test\n"}, [2]int{6, 7}},
		{"tokens", []string{"--max-tokens", "3500"}, otlp.StopMaxTokens, []string{
			"tailspan: 3,000 tokens used, 86 % of --max-tokens 3500\n", "tailspan: 4,000 tokens used, stopping the agent (--max-tokens 3500)\n",
			"tailspan: error: stopped: it used too many tokens in Bash: go test\n"}, [2]int{4, 5}},
		{"time", []string{"--max-time", "900ms"}, otlp.StopMaxTime, []string{
			" % of --max-time 900ms\n", "stopping the agent (--max-time 900ms)\n", "tailspan: error: stopped: it took too long"}, [2]int{1, 6}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sink := newOTLPSink(t)
			script, made := looping(t, 1000)
			args := append([]string{"--otlp", sink.URL, "--loop-after", "0"}, append(c.flags, append([]string{"--"}, script...)...)...)
			code, _, stderr := begin(t, args...).end(t)
			assert.Equal(t, 143, code)
			for _, line := range c.lines {
				assert.Contains(t, stderr, line)
			}
			assert.GreaterOrEqual(t, made(), c.lastCalls[0])
			assert.LessOrEqual(t, made(), c.lastCalls[1])
			span, _ := sink.span(t, runSpan)
			attrs := span.Attributes().AsRaw()
			assert.Equal(t, string(c.reason), attrs[otlp.AttrProcessStopReason])
			assert.Equal(t, "killed", attrs[otlp.AttrRunOutcome])
		})
	}
}

// TestLimitOfATidyAgent: an agent that returns 0 when it is stopped by a limit has not done its work.
func TestLimitOfATidyAgent(t *testing.T) {
	code, _, stderr := begin(t, "--max-time", "50ms", "--", "sh", "-c", `trap "exit 0" TERM; echo '`+startLine+`'; while :; do sleep 0.01; done`).end(t)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "tailspan: error: stopped: it took too long\n")
}

// TestLimitOfTheLastLine: a limit that the last lines exceed makes the run fail, whether or not the agent ended by
// itself before it could be stopped.
func TestLimitOfTheLastLine(t *testing.T) {
	sink := newOTLPSink(t)
	script := (&ending{lines: []string{startLine, wordsLine, okLine}}).script(t)
	script[2] = `trap "" TERM; ` + script[2]
	code, _, stderr := begin(t, append([]string{"--otlp", sink.URL, "--max-tokens", "5", "--"}, script...)...).end(t)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "tailspan: error: exceeded --max-tokens: it used too many tokens\n")
	span, _ := sink.span(t, runSpan)
	assert.Equal(t, "max_tokens", span.Attributes().AsRaw()[otlp.AttrProcessStopReason])
}

// TestFailOnNothing: an agent that wrote nothing has no result.
func TestFailOnNothing(t *testing.T) {
	for _, c := range []struct {
		name   string
		lines  []string
		failOn string
		code   int
	}{
		{"wrote nothing", nil, "incomplete", 1},
		{"wrote nothing", nil, "error,incomplete", 1},
		{"wrote nothing", nil, "empty", 1},
		{"wrote nothing", nil, "error,denied", 0},
		{"started", []string{startLine}, "incomplete", 1},
		{"started", []string{startLine}, "empty", 1},
		{"has a result", []string{startLine, okLine}, "incomplete", 0},
		{"has a result", []string{startLine, okLine}, "empty", 1},
		{"spoke", []string{startLine, wordsLine}, "empty", 0},
	} {
		t.Run(c.name+" "+c.failOn, func(t *testing.T) {
			code, _, stderr := begin(t, append([]string{"--provider", "claude", "--fail-on", c.failOn, "--"}, (&ending{lines: c.lines}).script(t)...)...).end(t)
			assert.Equal(t, c.code, code, stderr)
		})
	}
}

// TestCostAtTheEnd: a limit that is found to be exceeded when the agent has given its result stops nothing.
func TestCostAtTheEnd(t *testing.T) {
	code, _, stderr := begin(t, "--max-cost", "0.04", "--", "cat", fixtures+"parity.jsonl").end(t)
	assert.NotZero(t, code)
	assert.Contains(t, stderr, "tailspan: cost is $0.0451, --max-cost $0.04 is exceeded\n")
	assert.Contains(t, stderr, "tailspan: error: exceeded --max-cost: it cost too much\n")
	assert.NotContains(t, stderr, "stopping the agent")
}

// TestUnknownCost: a cost limit that cannot be enforced is reported.
func TestUnknownCost(t *testing.T) {
	script, made := looping(t, 3)
	code, _, stderr := begin(t, append([]string{"--max-cost", "0.01", "--"}, script...)...).end(t)
	assert.Zero(t, code)
	assert.Equal(t, 3, made())
	assert.Equal(t, 1, strings.Count(stderr, "the cost is not known, so --max-cost has no effect yet"), stderr)
}

// TestStallKill: a silent program is reported within 1.2 s and ended within the grace period together with its
// children, even if it ignores the signal. On a busy machine there are three attempts.
func TestStallKill(t *testing.T) {
	for name, script := range map[string]string{"ends": "sleep 100", "does not want to end": `trap "" TERM; sleep 100 & while :; do wait; done`} {
		t.Run(name, func(t *testing.T) {
			var warned, ended time.Duration
			for range 3 {
				start := time.Now()
				b := begin(t, "--stall-after", "1s", "--stall-kill", "--grace", "500ms", "--", "sh", "-c", script)
				b.stderr.has(t, "tailspan: no output for 1s, stopping the agent (--stall-kill)\n")
				warned = time.Since(start)
				code, _, stderr := b.end(t)
				ended = time.Since(start) - warned
				assert.Contains(t, []int{137, 143}, code)
				assert.Contains(t, stderr, "tailspan: error: stopped: no output for too long\n")
				if warned < 1200*time.Millisecond && ended < 700*time.Millisecond {
					return
				}
			}
			t.Errorf("warned after %s, ended %s later", warned, ended)
		})
	}
}

// TestStallWarns: without --stall-kill the program continues and is reported once.
func TestStallWarns(t *testing.T) {
	code, _, stderr := begin(t, "--provider", "none", "--stall-after", "50ms", "--", "sh", "-c", "sleep 0.4").end(t)
	assert.Zero(t, code)
	assert.Equal(t, "tailspan: no output for 50ms\ntailspan: empty: did nothing\n", stderr)
}

// TestLoopNotice: the same call with the same result is reported once.
func TestLoopNotice(t *testing.T) {
	script, _ := looping(t, 7)
	_, _, stderr := begin(t, append([]string{"--"}, script...)...).end(t)
	assert.Equal(t, "tailspan: the agent may be in a loop: 5 times the same call with the same result: Bash: go test\n", stderr)
}

// TestEventsFile: the events of a run equal those that tailspan events prints for its lines, and its end is the program's.
func TestEventsFile(t *testing.T) {
	dir := t.TempDir()
	raw, file := filepath.Join(dir, "raw.jsonl"), filepath.Join(dir, "events.jsonl")
	code, stdout, _ := begin(t, "--raw", raw, "--events", file, "--", "cat", fixtures+"parity.jsonl").end(t)
	assert.Zero(t, code)
	assert.Contains(t, stdout, "All tests pass now.")
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	_, printed, _ := tailspan("", "events", "--redact", raw)
	assert.Equal(t, printed, string(written))

	_, _, _ = begin(t, "--events", file, "--", "sh", "-c", "echo '"+startLine+"'; kill -KILL $$").end(t)
	written, err = os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(written), "ended by SIGKILL before its result")
}

// TestEventsOnStandardOutput: with --events - standard output contains only events, and the log is on standard error.
func TestEventsOnStandardOutput(t *testing.T) {
	_, stdout, stderr := begin(t, "--events", "-", "--", "cat", fixtures+"parity.jsonl").end(t)
	for _, line := range strings.Split(strings.TrimSpace(stdout), "\n") {
		assert.True(t, json.Valid([]byte(line)), line)
	}
	assert.Contains(t, stderr, "All tests pass now.")
}

// TestSummaryFile: a page is written for every end, with the link to the exported trace.
func TestSummaryFile(t *testing.T) {
	sink := newOTLPSink(t)
	file := filepath.Join(t.TempDir(), "summary.md")
	e := &endings[2]
	code, _, _ := begin(t, append([]string{"--otlp", sink.URL, "--step", "fix", "--summary-file", file, "--trace-url", "https://traces.example/{trace_id}", "--"}, e.script(t)...)...).end(t)
	assert.Equal(t, e.code, code)
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	span, _ := sink.span(t, runSpan)
	assert.True(t, strings.HasPrefix(string(page), "### fix: error\n\nkilled by SIGKILL in Bash&#58; go test\n"), string(page))
	assert.Contains(t, string(page), "(<https://traces.example/"+span.TraceID().String()+">)")
	assert.Contains(t, string(page), "```text\nWorking.\n```")
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())

	code, _, stderr := begin(t, "--summary-file", filepath.Join(file, "x"), "--", "true").end(t)
	assert.Equal(t, 1, code, "nothing is run whose summary can't be written")
	assert.Contains(t, stderr, "not a directory")
}

// TestShowNames: a log of names contains no text, argument, output or path, and none of the program's other output.
func TestShowNames(t *testing.T) {
	e := ending{lines: []string{startLine, wordsLine, callLine, "plain words", deniedLine, failedLine}, then: `echo "words on stderr" >&2; exit 1`}
	file := filepath.Join(t.TempDir(), "summary.md")
	code, stdout, stderr := begin(t, append([]string{"--show", "names", "--summary-file", file, "--"}, e.script(t)...)...).end(t)
	assert.Equal(t, 1, code)
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, stdout, "[Bash]\n")
	for _, shown := range []string{stdout, stderr, string(page)} {
		for _, word := range []string{"Working", "go test", "words", "Permission", "Credit", "/w"} {
			assert.NotContains(t, shown, word)
		}
	}
	code, stdout, _ = tailspan("", "render", "--show", "names", fixtures+"failures.jsonl")
	assert.Zero(t, code)
	assert.Contains(t, stdout, "[Bash]\n→ error: exit code 127\n")
	assert.NotContains(t, stdout, "calc")
}

// TestChildHasItsStep: the command gets the traceparent of its run's step and keeps one that is already set.
func TestChildHasItsStep(t *testing.T) {
	sink := newOTLPSink(t)
	say := []string{"--", "sh", "-c", `echo "parent=$TRACEPARENT" >&2; cat "$0"`, fixtures + "parity.jsonl"}
	_, _, stderr := begin(t, append([]string{"--otlp", sink.URL, "--pipeline", "nightly", "--run-id", "7", "--step", "fix"}, say...)...).end(t)
	step, _ := sink.span(t, "fix")
	assert.Equal(t, "parent=00-"+step.TraceID().String()+"-"+step.SpanID().String()+"-01\n", stderr)

	const outer = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	plainEnvironment(t)
	t.Setenv("TRACEPARENT", outer)
	_, _, stderr = beginPlain(append([]string{"--otlp", sink.URL, "--pipeline", "nightly", "--run-id", "8", "--step", "fix"}, say...)...).end(t)
	assert.Equal(t, "parent="+outer+"\n", stderr)

	_, _, stderr = begin(t, append([]string{"--pipeline", "nightly", "--run-id", "7", "--step", "fix"}, say...)...).end(t)
	assert.Equal(t, "parent=\n", stderr, "without an export there is no such span")
}
