package tail_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/tail"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"a.jsonl", "below/b.jsonl", "below/old/c.jsonl", "d.txt"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(path)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte("12345"), 0o600))
	}
	all, err := tail.Find([]string{filepath.Join(dir, "**/*.jsonl"), filepath.Join(dir, "nowhere/*")}, []string{"**/old/**"})
	require.NoError(t, err)
	require.Len(t, all, 2)
	for i, path := range []string{"a.jsonl", "below/b.jsonl"} {
		assert.Equal(t, filepath.Join(dir, path), all[i].Path)
		assert.EqualValues(t, 5, all[i].Size)
		assert.True(t, all[i].Regular)
		assert.False(t, all[i].ModTime.IsZero())
	}
	_, err = tail.Find([]string{"["}, nil)
	assert.ErrorContains(t, err, "invalid glob")
}

// TestFindReportsUnreadableFolders has a folder that can't be listed beside one that can.
func TestFindReportsUnreadableFolders(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may list every folder")
	}
	dir := t.TempDir()
	for _, folder := range []string{"open", "shut"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, folder), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, folder, "a.jsonl"), nil, 0o600))
	}
	require.NoError(t, os.Chmod(filepath.Join(dir, "shut"), 0))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "shut"), 0o700) }) //nolint:gosec // as created
	all, err := tail.Find([]string{filepath.Join(dir, "*/*.jsonl")}, nil)
	assert.ErrorIs(t, err, os.ErrPermission)
	require.Len(t, all, 1)
	assert.Equal(t, filepath.Join(dir, "open", "a.jsonl"), all[0].Path)
}
