package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
)

// TestRunCannotWrite: a requested file that cannot be written makes the run fail with one message.
func TestRunCannotWrite(t *testing.T) {
	for flag, problem := range map[string]string{"--events": "write events: ", "--summary-file": "write summary: "} {
		code, _, stderr := begin(t, flag, "/dev/full", "--", "cat", fixtures+"parity.jsonl").end(t)
		assert.Equal(t, cli.ExitFailure, code)
		assert.Contains(t, stderr, "tailspan: "+problem)
		assert.Equal(t, 1, strings.Count(stderr, "no space left on device"), stderr)
	}
}

// TestRunCannotShow: a log that cannot be written makes the run fail with one message, unless its reader went away.
func TestRunCannotShow(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	read, gone, err := os.Pipe()
	require.NoError(t, err)
	defer gone.Close()
	require.NoError(t, read.Close())
	for _, mode := range []string{"default", "verbose", "quiet", "json"} {
		for _, to := range []struct {
			file     *os.File
			code     int
			problems int
		}{{full, cli.ExitFailure, 1}, {gone, cli.ExitOK, 0}} {
			t.Run(mode+" "+to.file.Name(), func(t *testing.T) {
				var stderr bytes.Buffer
				c := command(t, "run", "--mode", mode, "--", "cat", fixtures+"parity.jsonl")
				c.Stdout, c.Stderr = to.file, &stderr
				assert.Equal(t, to.code, exitCode(t, c.Run()))
				assert.Equal(t, to.problems, strings.Count(stderr.String(), "tailspan: write "), stderr.String())
			})
		}
	}
	var stderr bytes.Buffer
	c := command(t, "run", "--", "sh", "-c", `cat "$0"; exit 3`, fixtures+"parity.jsonl")
	c.Stdout, c.Stderr = full, &stderr
	assert.Equal(t, 3, exitCode(t, c.Run()), "the exit code of the command is kept")
}
