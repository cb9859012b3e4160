//go:build unix

package main

import (
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSlowReaderStallsNobody has an agent that writes more than pipes hold to a command whose own reader is blocked.
// The agent finishes before a byte was read, and all output follows later. No file stays.
func TestSlowReaderStallsNobody(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	line := strings.Repeat("words ", 100) + "\n"
	const lines = 700 // 400 KB, more than two pipes and our buffers hold
	for _, args := range [][]string{{"render", "-"}, {"render", "--mode", "json", "-"}, {"events", "-"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			in, agent, err := os.Pipe()
			require.NoError(t, err)
			defer in.Close()
			terminal, out, err := os.Pipe()
			require.NoError(t, err)
			defer terminal.Close()
			code := make(chan int, 1)
			var stderr output
			go func() { code <- run(args, in, out, &stderr); _ = out.Close() }()
			for range lines {
				_, err := agent.WriteString(line)
				require.NoError(t, err)
			}
			require.NoError(t, agent.Close(), "the agent is done")
			shown, err := io.ReadAll(terminal)
			require.NoError(t, err)
			assert.Equal(t, lines, strings.Count(string(shown), strings.TrimSpace(line)))
			assert.Zero(t, <-code, stderr.String())
			assert.LessOrEqual(t, strings.Count(stderr.String(), "\n"), 1, stderr.String()) // the lines have no known writer
			noSpool(t)
		})
	}
}

// TestReaderGoesAwayFromStdin ends quietly while the agent is running; the agent's next write fails.
func TestReaderGoesAwayFromStdin(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	in, agent, err := os.Pipe()
	require.NoError(t, err)
	terminal, out, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, terminal.Close())
	code := make(chan int, 1)
	var stderr output
	go func() { code <- run([]string{"render", "--provider", "none", "-"}, in, out, &stderr) }()
	_, err = agent.WriteString("words\n")
	require.NoError(t, err)
	assert.Zero(t, <-code)
	assert.Empty(t, stderr.String())
	_, err = agent.WriteString("more\n") // wakes the copying goroutine, so that it sees the end
	require.NoError(t, err)
	require.NoError(t, in.Close())
	require.Eventually(t, func() bool {
		_, err := agent.WriteString("more\n")
		return errors.Is(err, syscall.EPIPE)
	}, patience, 5*time.Millisecond)
	require.NoError(t, agent.Close())
	noSpool(t)
}

// TestStdinWithoutASpool checks that standard input is read even if no spool can be created.
func TestStdinWithoutASpool(t *testing.T) {
	t.Setenv("TMPDIR", "/nowhere/at/all")
	in, agent, err := os.Pipe()
	require.NoError(t, err)
	defer in.Close()
	go func() { _, _ = agent.WriteString("words\n"); _ = agent.Close() }()
	var out, stderr output
	assert.Zero(t, run([]string{"render", "-"}, in, &out, &stderr))
	assert.Equal(t, "words\n", out.String())
	assert.Equal(t, 1, strings.Count(stderr.String(), "standard input is read directly"))
}
