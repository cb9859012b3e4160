//go:build linux || darwin

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
)

// TestRunNamesAFileTwice: two flags that name the same file are a usage error, by whatever names, and the file is left as it is.
func TestRunNamesAFileTwice(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.Mkdir(at("folder"), 0o700))
	require.NoError(t, os.WriteFile(at("file"), []byte("kept"), 0o600))
	require.NoError(t, os.WriteFile(at("folder/file"), []byte("another"), 0o600))
	require.NoError(t, os.Link(at("file"), at("hard")))
	for name, to := range map[string]string{
		"soft": "file", "again": "soft", "dangling": "absent", "further": at("dangling"), "inner": "folder", "up": "folder/../absent", "circle": "circle",
	} {
		require.NoError(t, os.Symlink(to, at(name)))
	}
	for _, c := range []struct {
		one, other string
		same       bool
	}{
		{"file", "file", true}, {"file", "hard", true}, {"soft", "hard", true}, {"file", "again", true},
		{"absent", "dangling", true}, {"dangling", "further", true}, {"absent", "up", true}, {"inner/absent", "folder/absent", true},
		{"file", "folder/file", false}, {"absent", "folder/absent", false}, {"dangling", "file", false},
	} {
		for _, flags := range [][2]string{{"--raw", "--events"}, {"--summary-file", "--raw"}, {"--events", "--summary-file"}} {
			c0 := []string{flags[0], at(c.one), flags[1], at(c.other), "--", "true"}
			if !c.same {
				require.NoError(t, distinct([]outFile{{flags[0], at(c.one)}, {flags[1], at(c.other)}}), c0)
				continue
			}
			code, _, stderr := begin(t, c0...).end(t)
			assert.Equal(t, cli.ExitUsage, code, c0)
			assert.Contains(t, stderr, "name the same file", c0)
		}
	}
	kept, err := os.ReadFile(at("file"))
	require.NoError(t, err)
	assert.Equal(t, "kept", string(kept))
	assert.NoFileExists(t, at("absent"))
	assert.ErrorContains(t, distinct([]outFile{{"--raw", at("circle")}}), "--raw: resolve ")
	assert.NoError(t, distinct([]outFile{{"--raw", os.DevNull}, {"--events", os.DevNull}}))
}

// TestRunRawInUse: a second run does not write to the file of --raw while the first one does, but after it, also if the first has
// left a process that holds the file open.
func TestRunRawInUse(t *testing.T) {
	dir := t.TempDir()
	raw, begun, pid := filepath.Join(dir, "raw"), filepath.Join(dir, "begun"), filepath.Join(dir, "pid")
	open, release, err := os.Pipe()
	require.NoError(t, err)
	defer open.Close()
	first := command(t, "run", "--raw", raw, "--", "sh", "-c", `sleep 300 & echo $! > "$1"; echo first; : > "$0"; read go`, begun, pid)
	first.Stdin = open
	require.NoError(t, first.Start())
	require.Eventually(t, func() bool { _, err := os.Stat(begun); return err == nil }, patience, 5*time.Millisecond)

	second := func() (code int, stdout, stderr string) {
		return begin(t, "--raw", raw, "--", "echo", "second").end(t)
	}
	code, stdout, stderr := second()
	assert.Equal(t, cli.ExitFailure, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "the command is not run: --raw ")
	assert.Contains(t, stderr, "in use by another process")
	assert.Equal(t, 1, strings.Count(stderr, "tailspan: "), stderr)
	content, err := os.ReadFile(raw)
	require.NoError(t, err)
	assert.Equal(t, "first\n", string(content))

	require.NoError(t, release.Close())
	assert.Equal(t, 1, exitCode(t, first.Wait()), "read finds the end of its input")
	code, stdout, _ = second()
	assert.Zero(t, code)
	assert.Equal(t, "second\n", stdout)
	content, err = os.ReadFile(pid)
	require.NoError(t, err)
	left, err := strconv.Atoi(strings.TrimSpace(string(content)))
	require.NoError(t, err)
	assert.NoError(t, syscall.Kill(left, syscall.SIGKILL), "it holds the file until now")
}
