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
	t.Chdir(t.TempDir())
	t.Setenv("PATH", "bin"+string(os.PathListSeparator)+os.Getenv("PATH")) // a relative folder, as node_modules/.bin
	require.NoError(t, os.MkdirAll(filepath.Join("bin", "folder"), 0o700))
	for name, text := range map[string]string{
		"no-program": "", "no-interpreter": "echo\n", "lost-interpreter": "#!/no/such -x\n", "windows": "#!/bin/sh\r\nexit 0\r\n", "script": "#!/bin/sh\nexit 4\n",
	} {
		mode := os.FileMode(0o700)
		if name == "no-program" {
			mode = 0o600
		}
		require.NoError(t, os.WriteFile(filepath.Join("bin", name), []byte(text), mode))
	}
	for _, tc := range []struct {
		name    string
		command []string
		want    int
		report  string // none if it starts
	}{
		{"success", []string{"true"}, 0, ""},
		{"failure", []string{"sh", "-c", "exit 3"}, 3, ""},
		{"signal", []string{"sh", "-c", "kill -TERM $$"}, 128 + 15, ""},
		{"relative folder in PATH", []string{"script"}, 4, ""},
		{"not there", []string{"tailspan-no-such-program"}, cli.ExitNotFound, `start "tailspan-no-such-program": executable file not found in $PATH`},
		{"file not there", []string{"bin/no-such"}, cli.ExitNotFound, `start "bin/no-such": no such file or directory`},
		{"no program", []string{"bin/no-program"}, cli.ExitNotExecutable, `start "bin/no-program": permission denied`},
		{"no program in PATH", []string{"no-program"}, cli.ExitNotExecutable, `start "no-program": bin/no-program: permission denied`},
		{"no interpreter", []string{"bin/no-interpreter"}, cli.ExitNotExecutable, `its first line names no interpreter (#!); a shell runs it: sh bin/no-interpreter`},
		{"interpreter not there", []string{"bin/lost-interpreter"}, cli.ExitNotExecutable, `its interpreter "/no/such -x" is not there`},
		{"lines of Windows", []string{"windows"}, cli.ExitNotExecutable, `its interpreter "/bin/sh\r" is not there: the file has the line ends of Windows`},
		{"too long an argument", []string{"true", strings.Repeat("x", 1<<22)}, cli.ExitNotExecutable, "argument list too long"},
		{"root", []string{"/"}, cli.ExitNotExecutable, `start "/": is a directory`},
		{"folder", []string{"bin/folder"}, cli.ExitNotExecutable, `start "bin/folder": is a directory`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var reports []string
			child, err := execute.Start(execute.Settings{
				Command: tc.command, Stderr: os.Stderr, Grace: process.DefaultGrace,
				Report: func(problem string) { reports = append(reports, problem) },
			})
			if tc.report == "" {
				require.NoError(t, err)
				assert.Equal(t, tc.want, child.Wait().Status())
				require.NoError(t, child.Close())
			} else {
				assert.Equal(t, cli.ExitError{Status: tc.want}, err)
				require.Len(t, reports, 1)
				assert.Contains(t, reports[0], tc.report)
				return
			}
			assert.Empty(t, reports)
		})
	}
}
