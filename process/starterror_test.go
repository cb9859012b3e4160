//go:build unix

package process_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tailspan/tailspan/process"
	"github.com/tailspan/tailspan/spool"
)

func TestStartErrors(t *testing.T) {
	before := openFiles(t)
	dir := t.TempDir()
	for _, tc := range []struct {
		name   string
		change func(*process.Settings)
		want   string
	}{
		{"no command", func(s *process.Settings) { s.Command = nil }, "command must name a program"},
		{"no program", func(s *process.Settings) { s.Command = []string{"tailspan-no-such-program"} }, "executable file not found"},
		{"one word", func(s *process.Settings) { s.Command = []string{"tailspan-no-such-program --key secret"} }, `start "tailspan-no-such-program ...": executable file not found in $PATH; a program and its arguments are separate words`},
		{"no folder", func(s *process.Settings) { s.Dir = filepath.Join(dir, "no") }, "no such file or directory"},
		{"no folder for the spool", func(s *process.Settings) { s.Spool.Dir = filepath.Join(dir, "no") }, "create spool"},
		{"negative grace", func(s *process.Settings) { s.Grace = -1 }, "grace must not be negative"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := process.Settings{Command: []string{os.Args[0]}, Spool: spool.Settings{Dir: dir}, Pipe: true}
			tc.change(&s)
			_, err := process.Start(s)
			require.ErrorContains(t, err, tc.want)
			assert.Equal(t, tc.want == "create spool", errors.Is(err, process.ErrNoSpool))
		})
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left, "no spool stays behind")
	assert.Equal(t, before, openFiles(t), "no file stays open")
}
