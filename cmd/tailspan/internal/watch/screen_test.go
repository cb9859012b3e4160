//go:build linux || darwin

package watch_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/term"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/watch"
	"github.com/tailspan/tailspan/redact"
)

// patience is how long a test waits for expected output.
const patience = 20 * time.Second

// terminal is a terminal that shows a watch.
type terminal struct {
	master, tty *os.File
	done        chan error

	mu    sync.Mutex
	shown strings.Builder
}

// open shows the sessions of a folder on a terminal.
func open(ctx context.Context, t *testing.T, folder string, r *redact.Redactor) *terminal {
	t.Helper()
	t.Setenv("TERM", "xterm-256color")
	master, tty, err := pty.Open()
	require.NoError(t, err)
	require.NoError(t, pty.Setsize(tty, &pty.Winsize{Cols: 80, Rows: 24}))
	s := &terminal{master: master, tty: tty, done: make(chan error, 1)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(s, master) // fails when the terminal is closed
	}()
	t.Cleanup(func() {
		require.NoError(t, tty.Close())
		<-read
		require.NoError(t, master.Close())
	})
	go func() {
		s.done <- watch.Watch(ctx, watch.Settings{
			Files: []string{filepath.Join(folder, "**", "*.jsonl")}, Redactor: r, Screen: true, Stdin: tty, Stdout: tty,
		})
	}()
	return s
}

// Write appends output of the watch.
func (s *terminal) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.Write(p)
}

// text returns all output after the first n bytes.
func (s *terminal) text(n int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()[n:]
}

// wait waits until something is shown.
func (s *terminal) wait(t *testing.T, want string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(s.text(0), want) }, patience, 5*time.Millisecond, "%q in %q", want, s.text(0))
}

// press writes keys and waits until something is shown after that.
func (s *terminal) press(t *testing.T, keys, want string) {
	t.Helper()
	before := len(s.text(0))
	_, err := s.master.WriteString(keys)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return strings.Contains(s.text(before), want) }, patience, 5*time.Millisecond, "%q after %q", want, keys)
}

// end waits for the end and checks that the terminal is restored.
func (s *terminal) end(t *testing.T, before *term.State) error {
	t.Helper()
	var err error
	select {
	case err = <-s.done:
	case <-time.After(patience):
		require.Fail(t, "it goes on", s.text(0))
	}
	s.wait(t, "\x1b[?1049l")
	for _, mode := range []struct{ on, off string }{{"\x1b[?1049h", "\x1b[?1049l"}, {"\x1b[?25l", "\x1b[?25h"}, {"\x1b[?2004h", "\x1b[?2004l"}} {
		text := s.text(0)
		assert.Less(t, strings.LastIndex(text, mode.on), max(0, strings.LastIndex(text, mode.off)), "%q is on in %q", mode.on, text)
	}
	after, stateErr := term.GetState(int(s.tty.Fd()))
	require.NoError(t, stateErr)
	assert.Equal(t, before, after, "raw mode")
	return err
}

// write writes a session with running sub-agents into a folder.
func write(t *testing.T, path string) {
	t.Helper()
	lines := part(t, "", "codex/subagents-v2.session.jsonl", 0, 30).Lines
	require.NoError(t, os.WriteFile(path+"/parent.jsonl", []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	lines = part(t, "", "codex/subagents-v2-child.session.jsonl", 0, 14).Lines
	require.NoError(t, os.WriteFile(path+"/child.jsonl", []byte(strings.Join(lines, "\n")+"\n"), 0o600))
}

// TestKeys presses all keys on a terminal that is resized, while a session continues.
func TestKeys(t *testing.T) {
	path := t.TempDir()
	write(t, path)
	s := open(t.Context(), t, path, nil)
	before, err := term.GetState(int(s.tty.Fd()))
	require.NoError(t, err)
	s.wait(t, "price_auditor")
	s.press(t, "a", "show")
	s.press(t, "a", "price_auditor")
	s.press(t, "\x1b[B\r", "sub-agent of codex")
	s.press(t, "k", "wait_agent")
	s.press(t, "\x1b", "running")

	lines := part(t, "", "codex/subagents-v2-child.session.jsonl", 14, 0).Lines
	at := len(s.text(0))
	file, err := os.OpenFile(path+"/child.jsonl", os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString(strings.Join(lines, "\n") + "\n")
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.Eventually(t, func() bool { return strings.Contains(s.text(at), "✓") || strings.Contains(s.text(at), "k") }, patience, 5*time.Millisecond)

	require.NoError(t, pty.Setsize(s.tty, &pty.Winsize{Cols: 40, Rows: 12}))
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGWINCH)) // the terminal is not the one of the test
	s.wait(t, "a sub-agents")
	_, err = s.master.WriteString("q")
	require.NoError(t, err)
	assert.NoError(t, s.end(t, before))
}

// TestEnds checks that the terminal is restored in whatever way the watch ends.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(s *terminal, cancel func(), folder string)
		r    *redact.Redactor
		want string
	}{
		{name: "q", end: func(s *terminal, _ func(), _ string) { _, _ = s.master.WriteString("q") }},
		{name: "Ctrl-C", end: func(s *terminal, _ func(), _ string) { _, _ = s.master.WriteString("\x03") }},
		{name: "signal", end: func(_ *terminal, cancel func(), _ string) { cancel() }},
		{name: "panic", end: func(_ *terminal, _ func(), folder string) { write(t, folder) }, r: new(redact.Redactor), want: "panic"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			folder := t.TempDir()
			s := open(ctx, t, folder, c.r)
			before, err := term.GetState(int(s.tty.Fd()))
			require.NoError(t, err)
			s.wait(t, "tailspan watch")
			c.end(s, cancel, folder)
			if err := s.end(t, before); c.want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, c.want)
			}
		})
	}
}

// TestTerminalGone checks that the watch ends with its terminal, also if that does not control it.
func TestTerminalGone(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	master, tty, err := pty.Open()
	require.NoError(t, err)
	defer tty.Close()
	require.NoError(t, pty.Setsize(tty, &pty.Winsize{Cols: 80, Rows: 24}))
	done := make(chan error, 1)
	go func() {
		done <- watch.Watch(t.Context(), watch.Settings{Files: []string{filepath.Join(t.TempDir(), "*.jsonl")}, Screen: true, Stdin: tty, Stdout: tty})
	}()
	_, err = io.ReadFull(master, make([]byte, 1))
	require.NoError(t, err)
	require.NoError(t, master.Close())
	select {
	case <-done:
	case <-time.After(patience):
		require.Fail(t, "it goes on")
	}
}
