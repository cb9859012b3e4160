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

// TestZshCompletion has zsh complete what a person typed, at the first key, as its completion works on a terminal alone.
func TestZshCompletion(t *testing.T) {
	zsh, err := exec.LookPath("zsh")
	if err != nil {
		t.Skip("zsh is not installed")
	}
	folder := t.TempDir()
	_, script, _ := run("completion", "zsh")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "_demo"), []byte(script), 0o600))
	for typed, want := range map[string]string{
		"demo do --mo": "demo do --mode=", "demo do --mode=l": "demo do --mode=loud ", "demo completion z": "demo completion zsh ", "demo help ch": "demo help child ",
		"demo --v": "demo --version ", "demo child --ye": "demo child --yes ", "demo child -- demo do --ye": "demo child -- demo do --yes ",
	} {
		t.Run(typed, func(t *testing.T) {
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
			has := func(text string) {
				t.Helper()
				require.Eventually(t, func() bool { return strings.Contains(screen.String(), text) }, 2*time.Minute, 2*time.Millisecond, "%q", text)
			}
			_, err = io.WriteString(terminal, "PS1=; fpath=("+folder+" $fpath); autoload -Uz compinit; compinit -u -D; print -P 're%%ady'\n")
			require.NoError(t, err)
			has("re%ady")
			_, err = io.WriteString(terminal, typed+"\t")
			require.NoError(t, err)
			has(want)
		})
	}
}
