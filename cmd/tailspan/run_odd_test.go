//go:build unix

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
)

// TestRunOddChildren has programs with rare behavior: their end is reported correctly, and nothing waits for what they leave behind.
func TestRunOddChildren(t *testing.T) {
	for _, tc := range []struct {
		name, script string
		code         int
		out, verdict string
	}{
		{"ended by a signal", "echo words; kill -SEGV $$", 128 + int(syscall.SIGSEGV), "words\n", "error: killed by SIGSEGV"},
		{"closes its output", "echo words; exec >&-; exit 4", 4, "words\n", "error: exit code 4"},
		{"closes all that it has", "echo words; exec <&- >&- 2>&-; exit 5", 5, "words\n", "error: exit code 5"},
		{"leaves a process that holds its output", `sleep 300 & echo $! > "$0"; echo words`, 0, "words\n", ""},
		{"ends without a newline", "printf words", 0, "words\n", ""},
		{"says nothing", "exit 3", 3, "", "error: exit code 3"},
		{"does nothing", "exit 0", 0, "", "empty: did nothing"},
		{"says bytes that are no text", `printf '\000\377\033[2Jwords\n'; exit 1`, 1, "\ufffdwords\n", "error: exit code 1"},
	} {
		for _, pipe := range []string{"--pipe=false", "--pipe"} {
			t.Run(tc.name+" "+pipe, func(t *testing.T) {
				left := filepath.Join(t.TempDir(), "pid")
				code, stdout, stderr := begin(t, pipe, "--provider", "none", "--", "sh", "-c", tc.script, left).end(t)
				assert.Equal(t, tc.code, code)
				assert.Equal(t, tc.out, stdout)
				if want := tc.verdict; want != "" {
					assert.Equal(t, "tailspan: "+want+"\n", stderr)
				} else {
					assert.Empty(t, stderr)
				}
				noSpool(t)
				if pid, err := os.ReadFile(left); err == nil {
					n, err := strconv.Atoi(strings.TrimSpace(string(pid)))
					require.NoError(t, err)
					assert.NoError(t, syscall.Kill(n, syscall.SIGKILL), "it lives on until now")
				}
			})
		}
	}
}

// TestRunAsksForAStream: only --stream adds the program's flags.
func TestRunAsksForAStream(t *testing.T) {
	program := filepath.Join(t.TempDir(), "codex")
	require.NoError(t, os.WriteFile(program, []byte(`echo "$*"`), 0o600))
	for flag, want := range map[string]string{"--stream": "exec --json fix it\n", "--stream=false": "exec fix it\n"} {
		_, stdout, _ := begin(t, flag, "--mode", "json", "--", "sh", program, "exec", "fix it").end(t)
		assert.Equal(t, want, stdout, flag)
	}
}

// TestRunWithoutAPlace checks that a command is not run, with a message, if its output could not be kept.
func TestRunWithoutAPlace(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	plainEnvironment(t)
	for _, args := range [][]string{{"--raw", "/dev/full"}, {"--raw", filepath.Join(t.TempDir(), "no", "file")}, nil} {
		if args == nil {
			t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "no"))
		}
		code, _, stderr := beginPlain(append(args, "--", "touch", ran)...).end(t)
		assert.Equal(t, cli.ExitFailure, code)
		assert.Contains(t, stderr, "the command is not run: ")
		assert.Equal(t, args == nil, strings.Contains(stderr, "no place for the command's output: create spool"), stderr)
		assert.Equal(t, args == nil, strings.Contains(stderr, "set TMPDIR"), stderr)
		if args != nil {
			assert.Contains(t, stderr, "--raw "+strconv.Quote(args[1])+": ")
		}
		assert.NoFileExists(t, ran)
	}
}

// TestRunOnAFullDisk checks the advice for a command that reports a full disk.
func TestRunOnAFullDisk(t *testing.T) {
	const complain = `echo "cat: write error: No space left on device" >&2; exit 1`
	_, _, stderr := begin(t, "--", "sh", "-c", complain).end(t)
	assert.Contains(t, stderr, "with --pipe the command would go on")
	_, _, stderr = begin(t, "--pipe", "--", "sh", "-c", complain).end(t)
	assert.NotContains(t, stderr, "with --pipe")
}

// TestRunEndpointHangs has an endpoint that accepts requests and never answers: the timeout ends the export and is reported.
func TestRunEndpointHangs(t *testing.T) {
	sink := newOTLPSink(t)
	done := make(chan struct{})
	sink.answers(func(w http.ResponseWriter, r *http.Request) bool { <-done; return true })
	t.Cleanup(func() { close(done) }) // before the server closes, which waits for its answers
	code, stdout, stderr := begin(t, "--otlp", sink.URL, "--export-timeout", "200ms", "--", "cat", fixtures+"parity.jsonl").end(t)
	assert.Zero(t, code)
	assert.Contains(t, stdout, "All tests pass now.")
	assert.Contains(t, stderr, "not everything was sent (send traces: --export-timeout of 200ms is over); ")
	assert.Contains(t, stderr, "tailspan send delivers them")
	assert.Equal(t, 1, strings.Count(stderr, "tailspan:"), stderr)
}
