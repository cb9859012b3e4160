package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPipeChecks(t *testing.T) {
	assert.ErrorContains(t, (&Pipe{}).Check(), "path must name a FIFO")
	assert.NoError(t, (&Pipe{Path: "-"}).Check())
	assert.ErrorContains(t, (&Spool{MaxSize: -1}).Check(), "spool::max_size must be positive, got -1")
	spool := NewDefaultSpool()
	assert.NoError(t, spool.Check())
}

func TestAbsolutePath(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	wd, err := os.Getwd()
	require.NoError(t, err)
	for path, want := range map[string]string{
		"~": home, "~/run/a.fifo": filepath.Join(home, "run", "a.fifo"), "~other/a": filepath.Join(wd, "~other", "a"), "a": filepath.Join(wd, "a"),
		filepath.Join(home, "b", "..", "c"): filepath.Join(home, "c"),
	} {
		got, err := AbsolutePath(path)
		require.NoError(t, err)
		assert.Equal(t, want, got, path)
	}
}
