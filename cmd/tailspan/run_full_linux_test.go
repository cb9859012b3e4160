package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
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

// TestRunIsCutByAFullDisk: a command whose writes fail may say nothing of it and return 0. One line reports it, and what depends on the
// whole output fails.
func TestRunIsCutByAFullDisk(t *testing.T) {
	if out, err := exec.Command("unshare", "-rm", "true").CombinedOutput(); err != nil {
		t.Skipf("no small disk can be mounted: %v %s", err, out)
	}
	disk := t.TempDir()
	for _, c := range []struct {
		name   string
		flags  []string
		copies string // of the recording, of which the disk holds one
		code   int
		lost   int // lines about it
	}{
		{"nothing depends on it", nil, "1 2 3 4 5", 0, 1},
		{"fail-on", []string{"--fail-on", "denied"}, "1 2 3 4 5", 1, 2},
		{"raw", []string{"--raw", filepath.Join(disk, "raw.jsonl")}, "1 2 3 4 5", 1, 1},
		{"events", []string{"--events", os.DevNull}, "1 2 3 4 5", 1, 1},
		{"pipe", []string{"--pipe"}, "1 2 3 4 5", 0, 0},
		{"raw from a pipe", []string{"--pipe", "--raw", filepath.Join(disk, "raw.jsonl")}, "1 2 3 4 5", 1, 0},
		{"room enough", []string{"--fail-on", "denied"}, "1", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := append(append([]string{"run"}, c.flags...), "--", "sh", "-c", `for i in `+c.copies+`; do cat "$0" 2>/dev/null; done; exit 0`, fixtures+"parity.jsonl")
			own := command(t, run...)
			cmd := exec.Command("unshare", append([]string{"-rm", "sh", "-c", `mount -t tmpfs -o size=64k none "$TMPDIR" && exec "$0" "$@"`}, own.Args...)...)
			var stderr bytes.Buffer
			cmd.Env, cmd.Stderr = append(own.Env, "TMPDIR="+disk), &stderr
			assert.Equal(t, c.code, exitCode(t, cmd.Run()), stderr.String())
			assert.Equal(t, c.lost, strings.Count(stderr.String(), "a part of the output may be lost"), stderr.String())
		})
	}
}
