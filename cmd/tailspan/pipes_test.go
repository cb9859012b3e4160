//go:build linux || darwin

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
)

// TestOddFilesInFolders checks that a folder or glob with pipes, circular links and dangling links is read to its end:
// each file once, with one line about each that is not read.
func TestOddFilesInFolders(t *testing.T) {
	plainEnvironment(t)
	dir := t.TempDir()
	one := writeFile(t, filepath.Join(dir, "one.jsonl"), claudeLines("s1", "One."))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.jsonl"), 0o600))
	require.NoError(t, os.Symlink(".", filepath.Join(dir, "loop")))
	require.NoError(t, os.Symlink("one.jsonl", filepath.Join(dir, "again.jsonl")))
	require.NoError(t, os.Symlink("nothing", filepath.Join(dir, "dangling.jsonl")))
	for _, input := range []string{dir, filepath.Join(dir, "*.jsonl"), filepath.Join(dir, "**", "*.jsonl")} {
		t.Run(filepath.Base(input), func(t *testing.T) {
			code, stdout, stderr := tailspan("", "render", input)
			assert.Equal(t, cli.ExitOK, code, stderr)
			assert.Equal(t, "One.\n", stdout)
			assert.Equal(t, 1, strings.Count(stderr, "pipe.jsonl"), stderr)
			assert.Equal(t, 1, strings.Count(stderr, "dangling.jsonl"), stderr)
			assert.Equal(t, 2, strings.Count(stderr, "\n"), stderr)
			code, stdout, stderr = tailspan("", "events", input)
			assert.Equal(t, cli.ExitOK, code, stderr)
			assert.Equal(t, 1, strings.Count(stdout, `"text":"One."`))
			code, stdout, stderr = tailspan("", "report", "--format", "markdown", input)
			assert.Equal(t, cli.ExitOK, code, stderr)
			assert.NotContains(t, stdout, "agent runs")
			_, stdout, stderr = tailspan("", "usage", "--json", input)
			assert.Contains(t, stdout, `"files": 1,`, stderr)
			assert.Equal(t, 1, strings.Count(stderr, "pipe.jsonl"), stderr)
		})
	}
	code, stdout, stderr := tailspan("", "report", "--format", "markdown", one)
	assert.Equal(t, cli.ExitOK, code, stderr)
	assert.Contains(t, stdout, "One.", "the pipe beside the file is no sub-agent")
	code, _, stderr = tailspan("", "render", filepath.Join(dir, "pi*"))
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, stderr, "no file matches")
}

// TestNamedPipe checks that a FIFO is read if it is named itself.
func TestNamedPipe(t *testing.T) {
	plainEnvironment(t)
	pipe := filepath.Join(t.TempDir(), "pipe.jsonl")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, command := range []string{"render", "report --format markdown", "usage --by session"} {
		written := make(chan error, 1)
		go func() { written <- os.WriteFile(pipe, []byte(claudeLines("s1", "One.")), 0) }()
		code, stdout, stderr := tailspan("", append(strings.Fields(command), pipe)...)
		require.NoError(t, <-written)
		assert.Equal(t, cli.ExitOK, code, stderr)
		assert.NotEmpty(t, stdout, command)
	}
}

// TestPipeWithoutAWriter checks that one signal ends a command that waits for the writer of a FIFO.
func TestPipeWithoutAWriter(t *testing.T) {
	sink := newOTLPSink(t)
	pipe := filepath.Join(t.TempDir(), "pipe.jsonl")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, args := range [][]string{{"send", "--otlp", sink.URL}, {"render"}, {"events"}} {
		t.Run(args[0], func(t *testing.T) {
			c := command(t, append(args, fixtures+"parity.jsonl", pipe)...)
			out := &output{}
			c.Stdout = out
			require.NoError(t, c.Start())
			require.Eventually(t, func() bool { return len(sink.named("tailspan.text")) > 0 || out.String() != "" }, patience, patience/1e4, "the first file")
			ended := make(chan error, 1)
			go func() { ended <- c.Wait() }()
			require.NoError(t, c.Process.Signal(os.Interrupt))
			select {
			case err := <-ended:
				assert.Error(t, err)
			case <-time.After(patience):
				require.NoError(t, c.Process.Kill())
				assert.Fail(t, "it goes on", <-ended)
			}
		})
	}
}

// TestReportOfResumedSession checks that other runs of a session, in files beside the named one, are not shown.
func TestReportOfResumedSession(t *testing.T) {
	plainEnvironment(t)
	_, stdout, stderr := tailspan("", "report", "--format", "markdown", filepath.Join("..", "..", "testdata", "claude", "resume-run1.jsonl"))
	assert.NotContains(t, stdout, "agent runs")
	assert.Equal(t, 1, strings.Count(stdout, "· session "), stderr)
}
