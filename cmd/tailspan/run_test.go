//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/internal/terminaltest"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/redact"
)

// patience is the longest wait for an expected result on a busy machine.
const patience = 2 * time.Minute

// runSpan is the name of the span of a run of Claude Code.
const runSpan = "invoke_agent claude-code"

// output is a writer whose content a test can wait for.
type output struct{ terminaltest.Buffer }

// has waits until s was written.
func (o *output) has(t *testing.T, s string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(o.String(), s) }, patience, 2*time.Millisecond, "%q", s)
}

// begun is a `tailspan run` that is running in this process.
type begun struct {
	stdout, stderr output
	code           chan int
}

// begin starts `tailspan run` in an environment without the variables that it reads.
func begin(t *testing.T, args ...string) *begun {
	t.Helper()
	plainEnvironment(t)
	return beginPlain(args...)
}

// beginPlain starts it in the current environment.
func beginPlain(args ...string) *begun {
	b := &begun{code: make(chan int, 1)}
	go func() { b.code <- run(append([]string{"run"}, args...), nil, &b.stdout, &b.stderr) }()
	return b
}

// end waits for its end and returns its output.
func (b *begun) end(t *testing.T) (code int, stdout, stderr string) {
	t.Helper()
	select {
	case code = <-b.code:
		return code, b.stdout.String(), b.stderr.String()
	case <-time.After(patience):
		t.Fatalf("still running; stderr: %s", b.stderr.String())
		return 0, "", ""
	}
}

func script(name string) string { return filepath.Join("..", "..", "testdata", "process", name+".sh") }

// noSpool checks that the folder for temporary files is empty.
func noSpool(t *testing.T) {
	t.Helper()
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	assert.Empty(t, left, "spools that were left")
}

// TestRunRedacts checks that no secrets are in the log, in exported data, or in the end of standard error.
func TestRunRedacts(t *testing.T) {
	const made = "gh" + "p_0123456789abcdefghijklmnopqrstuvwxyz"
	sink := newOTLPSink(t)
	line := `{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"it is ` + made + `"}]},"session_id":"s1"}`
	b := begin(t, "--otlp", sink.URL, "--", "sh", "-c", `echo "$1"; echo "no `+made+`" >&2; exit 1`, "sh", line)
	code, stdout, _ := b.end(t)
	assert.Equal(t, 1, code)
	assert.Equal(t, "it is [redacted:github]\n", stdout)
	exits := sink.named(otlp.EventNameProcessExited)
	require.Len(t, exits, 1)
	assert.Equal(t, "no [redacted:github]", exits[0].Attributes().AsRaw()[otlp.AttrProcessStderr])
	for _, lr := range sink.named("tailspan.text") {
		assert.NotContains(t, lr.Body().Str(), made)
	}
}

// TestRunOutputs checks the destinations of output: the file of --raw, the modes, documents, and programs of no known format.
func TestRunOutputs(t *testing.T) {
	parity, err := os.ReadFile(fixtures + "parity.jsonl")
	require.NoError(t, err)
	raw := filepath.Join(t.TempDir(), "raw.jsonl")
	b := begin(t, "--raw", raw, "--mode", "json", "--pipe", "--", "cat", fixtures+"parity.jsonl")
	code, stdout, stderr := b.end(t)
	require.Zero(t, code, stderr)
	assert.Equal(t, string(parity), stdout)
	kept, err := os.ReadFile(raw)
	require.NoError(t, err)
	assert.Equal(t, parity, kept)

	_, want, _ := tailspan("", "render", "--mode", "verbose", fixtures+"parity.jsonl")
	_, stdout, _ = begin(t, "--mode", "verbose", "--", "cat", fixtures+"parity.jsonl").end(t)
	assert.Equal(t, want, stdout)

	_, stdout, stderr = begin(t, "--mode", "verbose", "--style", "activity", "--", "cat", fixtures+"parity.jsonl").end(t)
	assert.Contains(t, stdout, "All tests pass now.")
	assert.NotContains(t, stdout, "Bash go test")
	assert.Contains(t, stderr, "finished", "the lines beside the text")

	_, stdout, _ = begin(t, "--", "cat", "../../testdata/gemini/case-rewritten-3.session.json").end(t)
	assert.Equal(t, "Going.\nGone.\n", stdout, "a document")
}

// TestRunEvents checks that the events of run equal those of the command events, even for a line that is too long, and
// with the identity of an in-band line that is written late.
func TestRunEvents(t *testing.T) {
	line := `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"` + strings.Repeat("x", 5000) + `"}]},"session_id":"s1"}`
	recorded := writeFile(t, filepath.Join(t.TempDir(), "run.jsonl"), `{"type":"tailspan","attributes":{"cicd.pipeline.name":"nightly"}}`+"\n"+
		strings.Replace(claudeLines("s1", "One."), "\n", "\n"+line+"\n", 1))
	plainEnvironment(t)
	_, want, _ := tailspan("", "events", "--max-line-size", "2000", recorded)
	require.Contains(t, want, `"abridged":true`)
	require.Contains(t, want, `"pipeline":"nightly"`)
	late := "sleep " + (redact.DefaultQuiet * 2 / 3).String() + `; cat "$1"` // after the first tick
	code, got, stderr := begin(t, "--max-line-size", "2000", "--events", "-", "--", "sh", "-c", late, "sh", recorded).end(t)
	assert.Zero(t, code)
	assert.Equal(t, want, got)
	assert.Contains(t, stderr, "1 line longer than 2000 bytes")
}

// TestRunFullSpool checks that a run whose output was dropped is marked.
func TestRunFullSpool(t *testing.T) {
	sink := newOTLPSink(t)
	code, _, stderr := begin(t, "--otlp", sink.URL, "--max-spool", "5000", "--", "sh", script("reader-goes-away")).end(t)
	assert.Zero(t, code)
	assert.Contains(t, stderr, "spool is full: 5000 bytes")
	assert.Regexp(t, `dropped \d{7,8} bytes of the command's output`, stderr)
	span, _ := sink.span(t, runSpan)
	attrs := span.Attributes().AsRaw()
	assert.Equal(t, "truncated", attrs[otlp.AttrCloseReason])
	assert.Greater(t, attrs[otlp.AttrProcessDropped], int64(1_000_000))
}

// TestRunOfNothing checks that a program without output has a record of its exit.
func TestRunOfNothing(t *testing.T) {
	sink := newOTLPSink(t)
	code, stdout, _ := begin(t, "--otlp", sink.URL, "--", "sh", "-c", "echo no key >&2; exit 2").end(t)
	assert.Equal(t, 2, code)
	assert.Empty(t, stdout)
	exits := sink.named(otlp.EventNameProcessExited)
	require.Len(t, exits, 1)
	assert.Equal(t, "exit code 2", exits[0].Body().Str())
	assert.Equal(t, "no key", exits[0].Attributes().AsRaw()[otlp.AttrProcessStderr])
	span, _ := sink.span(t, "sh")
	assert.Equal(t, ptrace.StatusCodeError, span.Status().Code())
	assert.EqualValues(t, 2, span.Attributes().AsRaw()[otlp.AttrProcessExitCode])
	assert.Equal(t, span.SpanID(), exits[0].SpanID())
}

// TestRunOfText has a program that writes no stream: a hint reports this, and its step and process have spans.
func TestRunOfText(t *testing.T) {
	sink := newOTLPSink(t)
	plainEnvironment(t)
	b := beginPlain("--otlp", sink.URL, "--pipeline", "nightly", "--run-id", "7", "--step", "fix", "--", "sh", "-c", "echo Fixed.; echo All of it.")
	code, stdout, stderr := b.end(t)
	assert.Zero(t, code)
	assert.Equal(t, "Fixed.\nAll of it.\n", stdout)
	assert.Equal(t, "tailspan: the command's output is not recognized and shown unchanged; if it is an agent's, --provider names whose\n", stderr)
	span, _ := sink.span(t, "sh")
	step, _ := sink.span(t, "fix")
	assert.Equal(t, step.SpanID(), span.ParentSpanID())
	assert.Equal(t, step.TraceID(), span.TraceID())
	assert.Equal(t, ptrace.StatusCodeUnset, span.Status().Code())
	assert.Positive(t, span.EndTimestamp()-span.StartTimestamp(), "it took some time")
	assert.Equal(t, "success", step.Attributes().AsRaw()["cicd.pipeline.task.run.result"])
	assert.Empty(t, otlpjson.Check(sink.traces...))

	agent := filepath.Join(t.TempDir(), "claude")
	require.NoError(t, os.WriteFile(agent, []byte("#!/bin/sh\necho Fixed.\n"), 0o700)) //nolint:gosec // a program
	_, _, stderr = begin(t, "--", agent, "-p", "x").end(t)
	assert.Equal(t, 1, strings.Count(stderr, "tailspan: "), stderr)
	assert.Contains(t, stderr, "run --stream has it write its stream")
	_, _, stderr = begin(t, "--provider", "none", "--", "echo", "Fixed.").end(t)
	assert.Empty(t, stderr)
	_, _, stderr = begin(t, "--provider", "claude", "--", "echo", "plain text").end(t)
	assert.Contains(t, stderr, "tailspan: 1 line not understood (malformed), of 1\ntailspan: no line is one of claude; --provider auto finds out whose they are\n")
	_, _, stderr = begin(t, "--max-cost", "1", "--", "echo", "Fixed.").end(t)
	assert.Contains(t, stderr, "--provider names whose; its tokens, cost and refused calls are not known, so --max-cost has no effect\n")
	_, _, stderr = begin(t, "--max-tokens", "9", "--max-cost", "1", "--fail-on", "denied", "--", "echo", "Fixed.").end(t)
	assert.Contains(t, stderr, "so --max-tokens, --max-cost and denied of --fail-on have no effect\n")
	_, _, stderr = begin(t, "--fail-on", "error", "--", "echo", "Fixed.").end(t)
	assert.NotContains(t, stderr, "no effect")
}

func TestRunUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"run needs a command":                                                         {"run"},
		"--max-cost must be positive and finite, got 0":                               {"run", "--max-cost", "0", "--", "true"},
		"--max-cost must be positive and finite, got +Inf":                            {"run", "--max-cost", "inf", "--", "true"},
		"--max-tokens must be positive and finite, got 0":                             {"run", "--max-tokens", "0", "--", "true"},
		"--max-time must be positive and finite, got -1s":                             {"run", "--max-time", "-1s", "--", "true"},
		"--stall-after must be positive and finite, got 0s":                           {"run", "--stall-after", "0", "--", "true"},
		`--fail-on must name a verdict (error, incomplete, denied, empty), got ""`:    {"run", "--fail-on", "", "--", "true"},
		"a value is missing after --step":                                             {"run", "--step", "--", "cat", "f"},
		"run needs a command: ":                                                       {"run", "--", ""},
		`--raw and --events name the same file "both"`:                                {"run", "--raw", "./both", "--events", "both", "--", "true"},
		`--events and --summary-file name the same file "x/../both"`:                  {"run", "--events", "both", "--summary-file", "x/../both", "--", "true"},
		`--trace-url must be a URL of http or https, got "javascript:{trace_id}"`:     {"run", "--summary-file", "s", "--trace-url", "javascript:{trace_id}", "--", "true"},
		"grace must be positive, got 0s":                                              {"run", "--grace", "0s", "--", "true"},
		`--max-spool must be positive, got "-1"`:                                      {"run", "--max-spool", "-1", "--", "true"},
		`--max-spool must be positive, got "0"`:                                       {"run", "--max-spool", "0", "--", "true"},
		`--max-spool must be a number of bytes or have a unit as in 2MiB, got "much"`: {"run", "--max-spool", "much", "--", "true"},
		"--grace must be a duration such as 30s or 5m, got \"soon\"":                  {"run", "--grace", "soon", "--", "true"},
		"--events - would show the texts that --show names omits; use --events FILE":  {"run", "--events", "-", "--show", "names", "--", "true"},
		"export-timeout must be positive, got -1s":                                    {"run", "--export-timeout", "-1s", "--", "true"},
		"export-timeout must be positive, got 0s":                                     {"run", "--export-timeout", "0", "--", "true"},
		`--summary-file must name a file, got "-"`:                                    {"run", "--summary-file", "-", "--", "true"},
		`--raw must name a file, got "-"`:                                             {"run", "--raw", "-", "--", "true"},
		`--max-line-size must be positive, got "0"`:                                   {"run", "--max-line-size", "0", "--", "true"},
		`--provider must be one of claude, codex, `:                                   {"run", "--provider", "cloud", "--", "true"},
		"no program with known streaming flags":                                       {"run", "--stream", "--", "true"},
		"otlp must be a URL of http or https, such as http://localhost:4318":          {"run", "--otlp", "collector:4317", "--", "true"},
		"mode must be one of":                                                         {"run", "--mode", "loud", "--", "true"},
	} {
		code, stdout, stderr := tailspan("", args...)
		assert.Equal(t, cli.ExitUsage, code, args)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, want)
	}
	code, stdout, _ := tailspan("", "run", "--help")
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, stdout, "usage: tailspan run [flags] -- COMMAND")

	ran := filepath.Join(t.TempDir(), "ran")
	for _, flag := range []string{"--events", "--summary-file"} {
		code, _, stderr := tailspan("", "run", flag, filepath.Join(t.TempDir(), "no", "file"), "--", "touch", ran)
		assert.Equal(t, cli.ExitFailure, code)
		assert.Regexp(t, flag+`: open .*: no such file or directory; the command is not run\n$`, stderr)
		assert.NoFileExists(t, ran)
	}

	code, _, stderr := tailspan("", "run", "--", "tailspan-no-such-program")
	assert.Equal(t, cli.ExitNotFound, code)
	assert.Contains(t, stderr, `start "tailspan-no-such-program"`)
	file := filepath.Join(t.TempDir(), "no-program")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	code, _, _ = tailspan("", "run", "--", file)
	assert.Equal(t, cli.ExitNotExecutable, code)
}
