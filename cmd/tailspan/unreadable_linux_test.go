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

// lock makes a path unreadable and returns a command that runs another one for which that holds: root may read everything, except
// in a user namespace to which the owner does not belong.
func lock(t *testing.T, path string) (prefix []string) {
	t.Helper()
	require.NoError(t, os.Chmod(path, 0))
	t.Cleanup(func() { _ = os.Chmod(path, 0o700) })
	if os.Geteuid() != 0 {
		return nil
	}
	require.NoError(t, os.Chown(path, 1, 1))
	if out, err := exec.Command("unshare", "-r", "true").CombinedOutput(); err != nil {
		t.Skipf("no user namespaces: %s", out)
	}
	return []string{"unshare", "-r"}
}

// TestUnreadableFolders: every command that reads a folder, or matches of a glob, reports once what it cannot read, shows the rest,
// and exits with 1.
func TestUnreadableFolders(t *testing.T) {
	plainEnvironment(t)
	sink := newOTLPSink(t)
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a", "one.jsonl"), claudeLines("s1", "One."))
	locked := filepath.Join(dir, "b")
	writeFile(t, filepath.Join(locked, "two.jsonl"), claudeLines("s2", "Two."))
	prefix := lock(t, locked)
	for _, command := range []string{"render", "events", "report", "usage", "doctor", "send --timeout 1s --otlp " + sink.URL} {
		for _, input := range []string{dir, filepath.Join(dir, "**", "*.jsonl"), filepath.Join(dir, "*", "*.jsonl"), locked, filepath.Join(locked, "two.jsonl")} {
			args := append(append(prefix[:len(prefix):len(prefix)], os.Args[0]), append(strings.Fields(command), input)...)
			c := exec.Command(args[0], args[1:]...)
			c.Env = append(os.Environ(), mainVariable+"=1")
			var stdout, stderr bytes.Buffer
			c.Stdout, c.Stderr = &stdout, &stderr
			assert.Equal(t, cli.ExitFailure, exitCode(t, c.Run()), "%s %s", command, input)
			assert.Equal(t, 1, strings.Count(stdout.String()+stderr.String(), ": permission denied"), "%s %s: %s%s", command, input, stdout.String(), stderr.String())
			if below := strings.HasPrefix(input, locked); !below && command != "doctor" && command != "usage" && len(sink.named("tailspan.text")) == 0 {
				assert.Contains(t, stdout.String(), "One.", command)
			}
		}
	}
	assert.NotEmpty(t, sink.named("tailspan.text"), "what can be read is sent")
}
