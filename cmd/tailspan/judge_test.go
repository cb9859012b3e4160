//go:build linux || darwin

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
	case "quiet":
		assert.Equal(t, e.quiet+"\n", said)
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

// TestListsAddUp: a flag for a list that is repeated adds to it.
func TestListsAddUp(t *testing.T) {
	for _, last := range []string{"error", "incomplete,denied"} {
		code, _, stderr := begin(t, "--fail-on", "empty", "--fail-on", last, "--", "true").end(t)
		assert.Equal(t, 1, code)
		assert.Equal(t, "tailspan: empty: did nothing\n", stderr)
	}
	_, want, _ := tailspan("", "usage", "--by", "day,model", fixtures+"parity.jsonl")
	code, got, _ := tailspan("", "usage", "--by", "day", "--by", "model", fixtures+"parity.jsonl")
	assert.Zero(t, code)
	assert.Equal(t, want, got)
}

func without(all []string, one string) (left []string) {
	for _, s := range all {
		if s != one {
			left = append(left, s)
		}
	}
	return left
}

// TestUnwatched: for options that depend on the verdict, a run that was not watched to its end is a failure.
func TestUnwatched(t *testing.T) {
	page, err := os.Create(filepath.Join(t.TempDir(), "summary.md"))
	require.NoError(t, err)
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
		"summary":               {judge: judge{summary: page}, status: 1},
	} {
		t.Run(name, func(t *testing.T) {
			var reported []string
			c.judge.report = func(text string) { reported = append(reported, text) }
			assert.Equal(t, c.status, c.judge.finish(nil, "", c.exit))
			assert.Equal(t, c.status == 1, len(reported) == 1, reported)
		})
	}
	written, err := os.ReadFile(page.Name())
	require.NoError(t, err)
	assert.Equal(t, "### agent: incomplete\n\nthe output was not watched to its end, so the verdict is not known\n\n", string(written))
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
