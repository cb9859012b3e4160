//go:build linux || darwin

package main

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
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
)

// watchOf returns the command watch as a separate process, in a home with one active session.
func watchOf(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	home := t.TempDir()
	folder := filepath.Join(home, ".codex", "sessions", "2026")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	data, err := os.ReadFile(filepath.FromSlash("../../testdata/codex/subagents-v2.session.jsonl"))
	require.NoError(t, err)
	lines := strings.SplitAfter(string(data), "\n")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "rollout.jsonl"), []byte(strings.Join(lines[:30], "")), 0o600))
	cmd := exec.Command(os.Args[0], append([]string{"watch"}, args...)...)
	cmd.Env = append(os.Environ(), mainVariable+"=1", "HOME="+home, "CODEX_HOME=", "TERM=xterm-256color")
	return cmd
}

// TestWatchSignals suspends and continues the watch, and ends it with a signal: the terminal is restored each time.
func TestWatchSignals(t *testing.T) {
	cmd := watchOf(t)
	master, tty, err := pty.Open()
	require.NoError(t, err)
	defer master.Close()
	require.NoError(t, pty.Setsize(tty, &pty.Winsize{Cols: 80, Rows: 24}))
	before, err := term.GetState(int(tty.Fd()))
	require.NoError(t, err)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, cmd.Start())
	shown, read := &shownText{}, make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(shown, master) // ends with an error when the terminal is closed
	}()
	waitFor := func(what string, ok func() bool) {
		t.Helper()
		require.Eventually(t, ok, patience, 5*time.Millisecond, "%s: %q", what, shown)
	}
	isRestored := func() bool {
		now, err := term.GetState(int(tty.Fd()))
		return err == nil && assert.ObjectsAreEqual(before, now) && shown.isLast("\x1b[?1049l", "\x1b[?1049h")
	}
	waitFor("the session", func() bool { return strings.Contains(shown.String(), "wait_agent") })
	_, err = master.WriteString("\x1a")
	require.NoError(t, err)
	waitFor("suspended", isRestored)
	// It is not a job of a shell, so the system does not stop it; it waits nevertheless, but not yet when the terminal is restored.
	waitFor("continued", func() bool {
		return cmd.Process.Signal(syscall.SIGCONT) == nil && shown.isLast("\x1b[?1049h", "\x1b[?1049l")
	})
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait())
	waitFor("ended", isRestored)
	require.NoError(t, tty.Close())
	<-read
}

// shownText is the text written to a terminal.
type shownText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *shownText) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *shownText) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// isLast reports whether the last of two sequences is the first one.
func (s *shownText) isLast(one, other string) bool {
	text := s.String()
	return strings.LastIndex(text, one) > strings.LastIndex(text, other)
}

// TestWatchLines checks that a watch without a terminal prints lines until a signal ends it.
func TestWatchLines(t *testing.T) {
	cmd := watchOf(t)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	assert.Regexp(t, `^2026-\d\d-\d\dT\d\d:\d\d:\d\dZ started  codex codex-shop \[[0-9a-f]{8}\]`, line)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	assert.NoError(t, cmd.Wait())
}

// TestWatchUnreadable checks that a watch without a terminal names a file that it cannot read.
func TestWatchUnreadable(t *testing.T) {
	database := filepath.Join(t.TempDir(), "opencode.db")
	require.NoError(t, os.WriteFile(database, unpackDatabase(t, database)[:4096], 0o600))
	cmd := watchOf(t, database)
	errs, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(errs).ReadString('\n')
	require.NoError(t, err)
	assert.Regexp(t, `^tailspan: cannot read "`+database+`": .*malformed`, line)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	assert.NoError(t, cmd.Wait())
}

// TestWatchUTF16 checks that a watch without a terminal names a file in UTF-16 once, and reads it when it was converted.
func TestWatchUTF16(t *testing.T) {
	for _, name := range []string{"run.jsonl", "run.json"} {
		t.Run(name, func(t *testing.T) {
			text := claudeLines("s1", "One.")
			path := writeFile(t, filepath.Join(t.TempDir(), name), inUTF16(binary.LittleEndian, text))
			cmd := watchOf(t, path)
			shown := &shownText{}
			cmd.Stdout, cmd.Stderr = shown, shown
			require.NoError(t, cmd.Start())
			waitFor := func(text string) {
				t.Helper()
				require.Eventually(t, func() bool { return strings.Contains(shown.String(), text) }, patience, 5*time.Millisecond, "%q in %q", text, shown)
			}
			waitFor(`tailspan: cannot read "` + path + `": it is UTF-16, as > of Windows PowerShell writes it; redirect with`)
			if name == "run.jsonl" {
				writeFile(t, path+".new", text)
				later := time.Now().Add(time.Minute) // the watch prints what ended after its own start
				require.NoError(t, os.Chtimes(path+".new", later, later))
				require.NoError(t, os.Rename(path+".new", path))
				waitFor(" ended ")
			}
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
			assert.NoError(t, cmd.Wait())
			assert.Equal(t, 1, strings.Count(shown.String(), "UTF-16"), shown)
		})
	}
}

// TestWatchArguments checks that a missing path is an error.
func TestWatchArguments(t *testing.T) {
	code, _, stderr := tailspan("", "watch", filepath.Join(t.TempDir(), "none"))
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "none")
	code, _, stderr = tailspan("", "watch", "--prices", "none.yaml", t.TempDir())
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, "none.yaml")
}
