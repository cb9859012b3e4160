package source

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func all(t *testing.T, s Walker) map[string]string {
	t.Helper()
	got := map[string]string{}
	require.NoError(t, s.Walk(t.Context(), func(key string, value []byte) error {
		got[key] = string(value)
		return nil
	}))
	return got
}

func TestFileStore(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "of", "positions [*]")
	s, err := NewFileStore(folder)
	require.NoError(t, err)
	value, err := s.Get(t.Context(), "none")
	assert.NoError(t, err)
	assert.Nil(t, value)
	want := map[string]string{"file/a": "1", "../../x": "two", "π\x00?*": "", "file/b": "line\nline"}
	for key, v := range want {
		require.NoError(t, s.Set(t.Context(), key, []byte("before")))
		require.NoError(t, s.Set(t.Context(), key, []byte(v)))
	}
	assert.Equal(t, want, all(t, s))
	entries, err := os.ReadDir(filepath.Dir(folder))
	require.NoError(t, err)
	assert.Len(t, entries, 1, "a key is no path")

	again, err := NewFileStore(folder)
	require.NoError(t, err)
	for key, v := range want {
		got, err := again.Get(t.Context(), key)
		require.NoError(t, err)
		assert.Equal(t, v, string(got))
		require.NoError(t, again.Delete(t.Context(), key))
		require.NoError(t, again.Delete(t.Context(), key), "a second time")
	}
	assert.Empty(t, all(t, again))
	stop := errors.New("enough")
	require.NoError(t, s.Set(t.Context(), "one", nil))
	assert.ErrorIs(t, s.Walk(t.Context(), func(string, []byte) error { return stop }), stop)
}

// A process that was killed while it wrote leaves the old value, and what it left is cleared away.
func TestFileStoreTorn(t *testing.T) {
	folder := t.TempDir()
	s, err := NewFileStore(folder)
	require.NoError(t, err)
	require.NoError(t, s.Set(t.Context(), "file/a", []byte("old")))
	require.NoError(t, os.WriteFile(filepath.Join(folder, tempPrefix+"123"), []byte("ne"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "README"), []byte("not ours"), 0o600))
	assert.Equal(t, map[string]string{"file/a": "old"}, all(t, s))
	s, err = NewFileStore(folder)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"file/a": "old"}, all(t, s))
	assert.NoFileExists(t, filepath.Join(folder, tempPrefix+"123"))
	assert.FileExists(t, filepath.Join(folder, "README"))
}

func TestFileStoreFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := NewFileStore(file)
	assert.Error(t, err)
	folder := filepath.Join(t.TempDir(), "folder")
	s, err := NewFileStore(folder)
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(folder))
	assert.ErrorContains(t, s.Set(t.Context(), "a", nil), "create position")
	assert.ErrorContains(t, s.Walk(t.Context(), func(string, []byte) error { return nil }), "list positions")
	// A value that can't be put in place leaves nothing behind.
	s, err = NewFileStore(folder)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(s.path("a"), "in the way"), 0o700))
	assert.ErrorContains(t, s.Set(t.Context(), "a", nil), "rename position")
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

// TestFileStoreWithFiles: what it holds is enough to go on.
func TestFileStoreWithFiles(t *testing.T) {
	bubble(t, func(w *world) {
		s, err := NewFileStore(w.path("positions"))
		require.NoError(w, err)
		w.add("a.jsonl", "one\n")
		assert.Equal(w, []string{"one"}, w.run(with(s)).all())
		s, err = NewFileStore(w.path("positions"))
		require.NoError(w, err)
		w.rename("a.jsonl", "b.jsonl")
		w.add("b.jsonl", "two\n")
		fresh, _ := w.run(with(s)).newLines()
		assert.Equal(w, []string{"two"}, fresh)
	})
}
