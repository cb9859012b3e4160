package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

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
