//go:build linux || darwin

package cli_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/terminaltest"
)

// TestZshCompletion completes input with zsh, on a terminal and from the first Tab: zsh completes only on a terminal.
func TestZshCompletion(t *testing.T) {
	zsh, err := exec.LookPath("zsh")
	if err != nil {
		t.Skip("zsh is not installed")
	}
	folder := t.TempDir()
	_, script, _ := run("completion", "zsh")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "_demo"), []byte(script), 0o600))
	c := exec.Command(zsh, "-f", "-i")
	c.Env = append(os.Environ(), "TERM=dumb", "HOME="+folder)
	terminal, err := pty.Start(c)
	require.NoError(t, err)
	var screen terminaltest.Buffer
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(&screen, terminal) // ends with an error when the terminal is closed
	}()
	defer func() {
		require.NoError(t, c.Process.Kill())
		_ = c.Wait() // it was killed
		require.NoError(t, terminal.Close())
		<-ended
	}()
	answers := func(typed, want string) {
		t.Helper()
		from := len(screen.String())
		_, err := io.WriteString(terminal, typed)
		require.NoError(t, err)
		require.Eventually(t, func() bool { return strings.Contains(screen.String()[from:], want) }, 2*time.Minute, 2*time.Millisecond, "%q", typed)
	}
	answers("PS1=; fpath=("+folder+" $fpath); autoload -Uz compinit; compinit -u -D; print -P 're%%ady'\n", "re%ady")
	for _, tc := range []struct{ typed, want string }{
		{"demo do --mo", "demo do --mode="}, // which loads the script
		{"demo do --mode=l", "demo do --mode=loud "},
		{"demo completion z", "demo completion zsh "},
		{"demo help ch", "demo help child "},
		{"demo --v", "demo --version "},
		{"demo child --ye", "demo child --yes "},
		{"demo child -- demo do --ye", "demo child -- demo do --yes "},
	} {
		answers("\x15"+tc.typed+"\t", tc.want) // behind Ctrl-U
	}
}
