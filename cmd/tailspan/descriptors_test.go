//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
)

// TestFewDescriptors: with few open files allowed, each command ends with one line, and no trace of the Go runtime. With 6 or 7 the
// test binary has one before main, from a package that only tests import.
func TestFewDescriptors(t *testing.T) {
	path := fixtures + "parity.jsonl"
	for _, limit := range []string{"4", "5", "8", "12", "15"} {
		for _, args := range [][]string{
			{"run", "--", "true"}, {"run", "--otlp", "http://127.0.0.1:1", "--", "cat", path}, {"render", path}, {"render", "--follow", path},
			{"events", path}, {"usage", path}, {"report", path}, {"send", "--otlp", "http://127.0.0.1:1", path}, {"watch", path}, {"doctor", path},
		} {
			var stdout, stderr bytes.Buffer
			c := exec.Command("sh", append([]string{"-c", `ulimit -n "$0" && exec "$@"`, limit, os.Args[0]}, args...)...)
			c.Env = append(os.Environ(), mainVariable+"=1")
			c.Stdout, c.Stderr = &stdout, &stderr
			assert.Equal(t, cli.ExitFailure, exitCode(t, c.Run()), "%s %q", limit, args)
			assert.Empty(t, stdout.String())
			assert.Equal(t, "tailspan: only "+limit+" files may be open (ulimit -n), at least 16 are needed\n", stderr.String(), args)
		}
	}
}
