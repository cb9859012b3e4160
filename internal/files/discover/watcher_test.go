package discover_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
)

// TestRefusedFolderIsRemoved: it no longer counts as missing, and all existing folders are watched.
func TestRefusedFolderIsRemoved(t *testing.T) {
	refused := 0
	w, err := discover.NewWatcher(func(string, error) { refused++ })
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, w.Close()) })
	w.Notify = &filestest.Refusing{Notifier: w.Notify, Left: 1}
	watched := t.TempDir()
	folder := filepath.Join(watched, "a", "b")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	w.Add(watched)
	assert.True(t, w.Whole())
	w.Add(folder)
	assert.Equal(t, 1, refused)
	assert.False(t, w.Whole())
	require.NoError(t, os.RemoveAll(filepath.Join(watched, "a")))
	assert.True(t, w.Whole())
}
