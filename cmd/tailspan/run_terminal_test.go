//go:build linux || darwin

package main

import (
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// command is the command itself, as a process of its own.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	plainEnvironment(t)
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), mainVariable+"=1", "TERM=dumb")
	return c
}

// onTerminal starts c on a terminal of its own. master is the end where a person would sit, shown is closed when all that
// the terminal ever shows is on the screen.
func onTerminal(t *testing.T, c *exec.Cmd) (master *os.File, screen *output, shown <-chan struct{}) {
	t.Helper()
	master, tty, err := pty.Open()
	require.NoError(t, err)
	t.Cleanup(func() { _ = master.Close() })
	c.Stdin, c.Stdout, c.Stderr = tty, tty, tty
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, c.Start())
	require.NoError(t, tty.Close())
	screen = &output{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(screen, master) // ends with an error when the terminal is closed
	}()
	return master, screen, ended
}

// TestRunLeavesSignalsAlone holds that what an agent runs is ended by a pipe that nobody reads, as it would be without us.
func TestRunLeavesSignalsAlone(t *testing.T) {
	out, err := command(t, "run", "--", "sh", "-c", `{ yes; echo "status $?" >&2; } | head -n 1`).CombinedOutput()
	require.NoError(t, err)
	assert.Contains(t, string(out), "status 141\n")
}

// TestRunHandsTheTerminalOver holds that an agent can read from the terminal, that its keys are the agent's, and that we
// have the terminal again in the end.
func TestRunHandsTheTerminalOver(t *testing.T) {
	c := command(t, "run", "--", "sh", "-c", `echo ready >&2; read -r words; echo "got $words" >&2; read -r words`)
	master, screen, shown := onTerminal(t, c)
	screen.has(t, "ready")
	_, err := io.WriteString(master, "some words\n")
	require.NoError(t, err)
	screen.has(t, "got some words")
	_, err = io.WriteString(master, "\x03") // Ctrl-C
	require.NoError(t, err)
	var exit *exec.ExitError
	require.ErrorAs(t, c.Wait(), &exit)
	assert.Equal(t, 128+int(syscall.SIGINT), exit.ExitCode())
	<-shown
}

// TestRunStopsWithItsAgent holds that Ctrl-Z stops the agent and us, and that the agent goes on, in the foreground, when
// we do.
func TestRunStopsWithItsAgent(t *testing.T) {
	// The test's shell has job control: it stops, looks, and brings the job back.
	c := command(t)
	c.Path, c.Args = "/bin/sh", []string{"sh", "-m", "-c", `"$0" run -- sh -c 'echo ready >&2; read -r words; echo "got $words" >&2'; echo "shell has it"; fg >/dev/null; echo "code $?"`, os.Args[0]}
	master, screen, shown := onTerminal(t, c)
	screen.has(t, "ready")
	_, err := io.WriteString(master, "\x1a") // Ctrl-Z
	require.NoError(t, err)
	screen.has(t, "shell has it")
	_, err = io.WriteString(master, "some words\n")
	require.NoError(t, err)
	screen.has(t, "got some words")
	screen.has(t, "code 0")
	require.NoError(t, c.Wait())
	<-shown
}
