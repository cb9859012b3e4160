package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
)

const fixtures = "../../testdata/claude/"

// run is the program without its process.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return newProgram().Run(context.Background(), args, cli.Streams{In: stdin, Out: stdout, Err: stderr})
}

// tailspan runs the command in this process.
func tailspan(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(args, strings.NewReader(stdin), &out, &err)
	return code, out.String(), err.String()
}

// plainEnvironment unsets the variables that the command reads.
func plainEnvironment(t *testing.T) {
	t.Helper()
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "OTEL_") || name == "TRACEPARENT" || name == "GITHUB_ACTIONS" || name == "GITLAB_CI" {
			t.Setenv(name, "")
		}
	}
	t.Setenv("TMPDIR", t.TempDir())
}

// claudeLines returns a run that says a text.
func claudeLines(session, text string) string {
	return `{"type":"system","subtype":"init","session_id":"` + session + `","model":"demo-1"}
{"type":"assistant","message":{"id":"m` + session + `","role":"assistant","content":[{"type":"text","text":"` + text + `"}]},"session_id":"` + session + `"}
{"type":"result","subtype":"success","is_error":false,"result":"` + text + `","session_id":"` + session + `","num_turns":1}
`
}

func writeFile(t *testing.T, path, content string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestUsageErrors(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "no.jsonl")
	for _, tc := range []struct {
		name string
		args []string
		want string
	}{
		{"nothing", nil, "usage: tailspan COMMAND"},
		{"unknown command", []string{"evnts"}, `command "evnts" is not known, want one of run, render, events, `},
		{"unknown flag", []string{"events", "--no-such"}, "tailspan: no such flag: --no-such; see tailspan events --help\n"},
		{"unknown provider", []string{"events", "--provider", "cloud", missing}, `--provider must be one of claude, codex, `},
		{"no file", []string{"events"}, "tailspan: no input: name a file, folder or glob, or - for standard input; see tailspan events --help"},
		{"two files, one missing", []string{"events", fixtures + "parity.jsonl", missing}, missing + ": no such file"},
		{"folder without sessions", []string{"render", "."}, `no file matches "."`},
		{"glob without a match", []string{"render", "*.nothing"}, `no file matches "*.nothing"`},
		{"nothing to follow", []string{"render", "--follow"}, "no input"},
		{"a folder to follow", []string{"events", "--follow", filepath.Join("..", "..", "testdata", "opencode", "subagent-1.1.65.storage")}, "OpenCode's before its database, which is not followed"},
		{"standard input to follow", []string{"events", "--follow", "-"}, "leave --follow out"},
		{"missing file", []string{"events", missing}, missing + ": no such file"},
		{"missing file to render", []string{"render", missing}, missing + ": no such file"},
		{"unknown mode", []string{"render", "--mode", "loud", missing}, `mode must be one of default, verbose, quiet, json, got "loud"`},
		{"unknown style", []string{"render", "--style", "loud", missing}, `got "loud"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, stdout, stderr := tailspan("", tc.args...)
			assert.Equal(t, cli.ExitUsage, code)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, tc.want)
		})
	}
}

func TestVersion(t *testing.T) {
	code, stdout, stderr := tailspan("", "--version")
	assert.Equal(t, cli.ExitOK, code)
	assert.Equal(t, "tailspan "+cli.Version()+"\n", stdout)
	assert.Empty(t, stderr)
}

func TestFlagsAfterTheFile(t *testing.T) {
	const line = `{"type":"assistant","message":{"content":[{"type":"text","text":"hello"}]}}`
	path := filepath.Join(t.TempDir(), "a.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(line+"\n"), 0o600))
	_, want, _ := tailspan("", "render", "--mode", "json", path)
	require.NotEmpty(t, want)
	code, got, stderr := tailspan("", "render", path, "--mode", "json")
	assert.Equal(t, cli.ExitOK, code, stderr)
	assert.Equal(t, want, got)

	code, _, stderr = tailspan("", "render", "--", "--mode")
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, stderr, "--mode: no such file")
}

func TestHelp(t *testing.T) {
	code, stdout, _ := tailspan("", "--help")
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, stdout, "events")
	code, stdout, stderr := tailspan("", "events", "--help")
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, stdout, "--provider claude|codex|")
	assert.Empty(t, stderr)
}

// lastLine returns the summary that ends the output of `events`.
func lastLine(t *testing.T, stdout string) map[string]any {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	var last map[string]any
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &last))
	return last
}

func TestEvents(t *testing.T) {
	code, stdout, stderr := tailspan("", "events", "--provider", "claude", fixtures+"parallel.jsonl")
	require.Equal(t, cli.ExitOK, code, stderr)
	assert.Empty(t, stderr)
	kinds := map[string]int{}
	for line := range strings.Lines(stdout) {
		var e struct {
			Kind string `json:"kind"`
			Name *string
			Arg  *string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &e), line)
		kinds[e.Kind]++
		if e.Kind == "tool_use" {
			assert.NotNil(t, e.Name)
			assert.NotNil(t, e.Arg)
		}
	}
	assert.Equal(t, 9, kinds["tool_use"])
	assert.Equal(t, 9, kinds["tool_result"])
	assert.Equal(t, 1, kinds["session_end"])
	summary := lastLine(t, stdout)
	assert.Equal(t, "summary", summary["kind"])
	assert.Equal(t, "claude", summary["provider"])
	assert.EqualValues(t, 0, summary["malformed"])
	assert.EqualValues(t, 9, summary["tool_calls"])
}

func TestEventsOfAnIncompleteStream(t *testing.T) {
	_, stdout, _ := tailspan("", "events", fixtures+"killed.jsonl")
	assert.Contains(t, stdout, `{"kind":"session_end","end_code":"incomplete"`)
	_, stdout, _ = tailspan("", "events", fixtures+"interactive.session.jsonl")
	assert.NotContains(t, stdout, "session_end", "a transcript promises no end")
}

func TestEventsOfStandardInput(t *testing.T) {
	plain, err := os.ReadFile(fixtures + "parity.jsonl")
	require.NoError(t, err)
	_, want, _ := tailspan("", "events", fixtures+"parity.jsonl")
	code, got, _ := tailspan(string(plain), "events", "-")
	assert.Equal(t, cli.ExitOK, code)
	assert.Equal(t, want, got)
}

func TestEventsOfNoProvider(t *testing.T) {
	code, stdout, _ := tailspan("one\r\ntwo", "events", "-")
	assert.Equal(t, cli.ExitOK, code)
	assert.True(t, strings.HasPrefix(stdout, `{"kind":"raw","line":"one"}`+"\n"+`{"kind":"raw","line":"two"}`+"\n"), stdout)
	summary := lastLine(t, stdout)
	assert.EqualValues(t, 2, summary["passed"])
	assert.EqualValues(t, 0, summary["malformed"])
}

func TestRender(t *testing.T) {
	code, stdout, _ := tailspan("", "render", fixtures+"parity.jsonl")
	assert.Equal(t, cli.ExitOK, code)
	assert.NotContains(t, stdout, "[tool:")
	code, verbose, _ := tailspan("", "render", "--mode", "verbose", fixtures+"parity.jsonl")
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, verbose, "[tool: Read(")
	plain, err := os.ReadFile(fixtures + "parity.jsonl")
	require.NoError(t, err)
	_, fromStdin, _ := tailspan(string(plain), "render", "--mode", "verbose", "-")
	assert.Equal(t, verbose, fromStdin)
	_, raw, _ := tailspan("", "render", "--mode", "json", fixtures+"parity.jsonl")
	assert.Equal(t, string(plain), raw)
}

func TestRenderPassesOn(t *testing.T) {
	_, stdout, _ := tailspan("just\x1b[2J words\nand more", "render", "-")
	assert.Equal(t, "just words\nand more\n", stdout, "no known agent")
	words := "npm warn\n" + `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"hi"}]},"session_id":"s"}` + "\n"
	_, stdout, _ = tailspan(words, "render", "--provider", "claude", "--mode", "verbose", "--style", "transcript", "-")
	assert.Contains(t, stdout, "npm warn\n")
	_, stdout, _ = tailspan(words, "render", "--provider", "claude", "-")
	assert.Equal(t, "hi\n", stdout, "default mode is text alone")
}

// TestReaderGoesAway checks that a closed pipe on standard output is a normal end.
func TestReaderGoesAway(t *testing.T) {
	for _, command := range []string{"events", "render"} {
		var stderr bytes.Buffer
		code := run([]string{command, fixtures + "parity.jsonl"}, nil, brokenPipe{}, &stderr)
		assert.Equal(t, cli.ExitOK, code, command)
		assert.Empty(t, stderr.String())
		code = run([]string{command, fixtures + "parity.jsonl"}, nil, fullDisk{}, &stderr)
		assert.Equal(t, cli.ExitFailure, code, "a full disk is no normal end")
		assert.Contains(t, stderr.String(), "no space left")
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestLinesTooLong(t *testing.T) {
	_, stdout, _ := tailspan("one\ntwo two\n", "events", "--max-line-size", "4", "-")
	assert.EqualValues(t, 1, lastLine(t, stdout)["too_long"])
	_, _, stderr := tailspan("one\ntwo two\n", "render", "--max-line-size", "4", "-")
	assert.Contains(t, stderr, "1 line longer than 4 bytes, read in part")
	code, _, stderr := tailspan("", "render", "--max-line-size", "0", "-")
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, stderr, `--max-line-size must be positive, got "0"`)
}
