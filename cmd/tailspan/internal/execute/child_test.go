//go:build unix

package execute_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/execute"
	"github.com/tailspan/tailspan/process"
)

// TestStart checks how the end of a program, or the reason why it cannot run, becomes the exit code of a shell.
func TestStart(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	forbidden := filepath.Join(t.TempDir(), "no-program")
	require.NoError(t, os.WriteFile(forbidden, nil, 0o600))
	noInterpreter := filepath.Join(t.TempDir(), "no-interpreter")
	require.NoError(t, os.WriteFile(noInterpreter, []byte("echo\n"), 0o700)) //nolint:gosec // it is to be run
	for _, tc := range []struct {
		name    string
		command []string
		want    int
		reports int
	}{
		{"success", []string{"true"}, 0, 0},
		{"failure", []string{"sh", "-c", "exit 3"}, 3, 0},
		{"signal", []string{"sh", "-c", "kill -TERM $$"}, 128 + 15, 0},
		{"not there", []string{"tailspan-no-such-program"}, cli.ExitNotFound, 1},
		{"no program", []string{forbidden}, cli.ExitNotExecutable, 1},
		{"no interpreter", []string{noInterpreter}, cli.ExitNotExecutable, 1},
		{"too long an argument", []string{"true", strings.Repeat("x", 1<<22)}, cli.ExitNotExecutable, 1},
		{"folder", []string{"/"}, cli.ExitNotExecutable, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var reports []string
			child, err := execute.Start(execute.Settings{
				Command: tc.command, Stderr: os.Stderr, Grace: process.DefaultGrace,
				Report: func(problem string) { reports = append(reports, problem) },
			})
			if tc.reports == 0 {
				require.NoError(t, err)
				assert.Equal(t, tc.want, child.Wait().Status())
				require.NoError(t, child.Close())
			} else {
				assert.Equal(t, cli.ExitError{Status: tc.want}, err)
			}
			assert.Len(t, reports, tc.reports)
		})
	}
}
