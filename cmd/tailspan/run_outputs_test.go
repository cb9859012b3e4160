//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
)

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

// TestSummaryOfNothingStarted: the page says why the command could not be started. A wrong call leaves the page of the run before.
func TestSummaryOfNothingStarted(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "summary.md")
	write := func(args ...string) (code int, page string) {
		require.NoError(t, os.WriteFile(file, []byte("before"), 0o600))
		code, _, _ = begin(t, append([]string{"--summary-file", file}, args...)...).end(t)
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		return code, string(data)
	}
	code, page := write("--step", "fix", "--", "no-such-agent")
	assert.Equal(t, 127, code)
	assert.Contains(t, page, "### fix: error\n\ncould not start&#58; start \"no-such-agent\"&#58; ")
	code, page = write("--", dir)
	assert.Equal(t, 126, code)
	assert.Contains(t, page, ": error\n\ncould not start&#58; ")
	code, page = write("--raw", filepath.Join(file, "x"), "--", "true")
	assert.Equal(t, 1, code)
	assert.Contains(t, page, "### true: error\n\ncould not start&#58; ")
	_, page = write("--show", "names", "--", filepath.Join(dir, "no-such-agent"))
	assert.Equal(t, "### no-such-agent: error\n\ncould not start\n\n", page)

	code, page = write("--otlp", "nowhere:", "--", "true")
	assert.Equal(t, 2, code)
	assert.Equal(t, "before", page)
}

// TestOneDuration: the log, the page and the span of a run that was killed have the same duration, measured by the times of its
// lines. The first line of Claude Code has none.
func TestOneDuration(t *testing.T) {
	sink := newOTLPSink(t)
	file := filepath.Join(t.TempDir(), "summary.md")
	_, stdout, _ := begin(t, "--otlp", sink.URL, "--mode", "verbose", "--summary-file", file, "--", "sh", "-c", `head -n 5 "$0"; exit 1`, fixtures+"parity.jsonl").end(t)
	span, _ := sink.span(t, runSpan)
	took := span.EndTimestamp().AsTime().Sub(span.StartTimestamp().AsTime())
	assert.Equal(t, 773*time.Millisecond, took)
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(page), "| duration | 773ms |\n")
	assert.Contains(t, stdout, "\nduration  773ms\n")
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
	_, stdout, stderr = begin(t, "--show", "names", "--", "echo", "words").end(t)
	assert.Empty(t, stdout)
	assert.Equal(t, "tailspan: the command's output is not recognized and not shown; if it is an agent's, --provider names whose\n", stderr)
	_, stdout, stderr = tailspan("words\n", "render", "--show", "names", "-")
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "1 line not recognized and not shown; ")
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

// TestRunLacksOutput checks that a run fails if output was lost that a requested copy of it lacks, unless the agent failed.
func TestRunLacksOutput(t *testing.T) {
	dir := t.TempDir()
	raw, written := filepath.Join(dir, "raw"), filepath.Join(dir, "events")
	const (
		floods    = `head -c 100000 /dev/zero | tr '\0' x; exit %d`
		truncates = `printf 'one\ntwo\nthree\n'; echo done >/dev/stdout; exit %d`
		dropped   = "tailspan: dropped 99900 bytes of the command's output"
		truncated = "so a part of it is lost"
	)
	for _, tc := range []struct {
		name, agent   string
		returns       int
		flags         []string
		code          int
		report, lacks string
	}{
		{"no copy", floods, 0, []string{"--max-spool", "100"}, cli.ExitOK, dropped, "\n"},
		{"raw", floods, 0, []string{"--max-spool", "100", "--raw", raw}, cli.ExitFailure, dropped, ", so the output in --raw is incomplete\n"},
		{"events", floods, 0, []string{"--max-spool", "100", "--events", written}, cli.ExitFailure, dropped, ", so the output in --events is incomplete\n"},
		{"events on standard output", floods, 0, []string{"--max-spool", "100", "--events", "-"}, cli.ExitFailure, dropped, ", so the output in --events is incomplete\n"},
		{"both", floods, 0, []string{"--max-spool", "100", "--raw", raw, "--events", written}, cli.ExitFailure, dropped, ", so the output in --raw and --events is incomplete\n"},
		{"the agent failed", floods, 3, []string{"--max-spool", "100", "--raw", raw}, 3, dropped, ", so the output in --raw is incomplete\n"},
		{"truncated raw", truncates, 0, []string{"--raw", raw}, cli.ExitFailure, truncated, ", so the output in --raw is incomplete; use --pipe\n"},
		{"all is kept", floods, 0, []string{"--max-spool", "100000", "--raw", raw}, cli.ExitOK, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, _, stderr := begin(t, append(tc.flags, "--", "sh", "-c", fmt.Sprintf(tc.agent, tc.returns))...).end(t)
			assert.Equal(t, tc.code, code)
			assert.Contains(t, stderr, tc.report+tc.lacks)
			if tc.report == "" {
				assert.NotContains(t, stderr, "lost")
				assert.NotContains(t, stderr, "dropped")
			}
		})
	}
}
