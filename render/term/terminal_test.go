package term_test

import (
	"bytes"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/terminaltest"
	"github.com/tailspan/tailspan/render/internal/account"
	"github.com/tailspan/tailspan/render/term"
)

// TestStatus: the status is only below whole lines, shows the newest call of a watched step, and disappears with it.
func TestStatus(t *testing.T) {
	screen := terminaltest.New(40, true)
	terminal := term.New(screen, term.Settings{Width: func() int { return 40 }})
	log := terminal.Wrap(screen)
	w := terminal.Watch("build", new(account.Reported))
	w.Emit(&events.DisplayEvent{Kind: events.KindToolUse, Tool: events.Tool{ID: "t", Name: "Read", Target: "calc.go"}})
	write := func(s string) {
		_, err := log.Write([]byte(s))
		require.NoError(t, err)
	}
	write("half")
	assert.Equal(t, "half", screen.Last(), "no status behind half a line")
	write(" a line\n")
	assert.Contains(t, screen.Last(), "[build] Read calc.go")
	require.NoError(t, w.Close())
	assert.Equal(t, []string{"half a line"}, screen.Lines())
	require.NoError(t, terminal.Close())
}

// TestSuspend: nothing of the status is on the screen of a suspended process; afterwards it is drawn again.
func TestSuspend(t *testing.T) {
	screen := terminaltest.New(40, true)
	terminal := term.New(screen, term.Settings{})
	log, w := terminal.Wrap(screen), terminal.Watch("", new(account.Reported))
	_, err := log.Write([]byte("line\n"))
	require.NoError(t, err)
	w.Emit(&events.DisplayEvent{Kind: events.KindToolUse, Tool: events.Tool{ID: "t", Name: "Bash", Target: "ls"}})
	shows := func(status bool) func() bool {
		return func() bool { return strings.Contains(screen.Last(), "Bash ls") == status }
	}
	const patience, tick = time.Minute, time.Millisecond
	require.Eventually(t, shows(true), patience, tick)
	terminal.Suspend(func() { assert.True(t, shows(false)()) })
	require.Eventually(t, shows(true), patience, tick)
	require.NoError(t, w.Close())
	require.NoError(t, terminal.Close())
}

// TestForeground: while the screen belongs to a shell, only the log is written.
func TestForeground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen terminaltest.Buffer
		var ours atomic.Bool
		ours.Store(true)
		terminal := term.New(&screen, term.Settings{Foreground: ours.Load})
		log, w := terminal.Wrap(&screen), terminal.Watch("", new(account.Reported))
		w.Emit(&events.DisplayEvent{Kind: events.KindToolUse, Tool: events.Tool{ID: "t", Name: "Bash", Target: "ls"}})
		write := func(s string) (new string) {
			before := len(screen.String())
			_, err := log.Write([]byte(s))
			require.NoError(t, err)
			time.Sleep(time.Second) // the status is drawn again and again
			synctest.Wait()
			return screen.String()[before:]
		}
		assert.Contains(t, write("one\n"), "Bash ls")
		ours.Store(false)
		assert.Equal(t, "two\n", write("two\n"))
		terminal.Suspend(func() {})
		assert.Equal(t, "three\n", write("three\n"))
		ours.Store(true)
		assert.Contains(t, write("four\n"), "Bash ls")
		ours.Store(false)
		before := screen.String()
		require.NoError(t, w.Close())
		require.NoError(t, terminal.Close())
		assert.Equal(t, before, screen.String())
	})
}

// TestClosed: a closed Terminal draws nothing, and its writers still write.
func TestClosed(t *testing.T) {
	var screen bytes.Buffer
	terminal := term.New(&screen, term.Settings{})
	log, w := terminal.Wrap(&screen), terminal.Watch("", new(account.Reported))
	require.NoError(t, terminal.Close())
	require.NoError(t, terminal.Close(), "a second call does nothing")
	w.Emit(&events.DisplayEvent{Kind: events.KindToolUse, Tool: events.Tool{ID: "t", Name: "Bash", Target: "ls"}})
	_, err := log.Write([]byte("line\n"))
	require.NoError(t, err)
	assert.Equal(t, "line\n", screen.String())
}
