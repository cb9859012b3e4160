//go:build unix

package spool

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFIFO has two writers, one after the other.
func TestFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	s := newSpool(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- NewCopier(s, CopySettings{}).CopyFIFO(ctx, path) }()
	tail := s.Tail()
	for _, words := range []string{"first writer\n", "second writer\n"} {
		w, err := os.OpenFile(path, os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = w.WriteString(words)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		assert.Equal(t, words, next(t, tail))
	}
	cancel()
	assert.NoError(t, <-ended)
}

func TestNotAFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	err := NewCopier(newSpool(t), CopySettings{}).CopyFIFO(t.Context(), path)
	assert.ErrorContains(t, err, "not a fifo")
	err = NewCopier(newSpool(t), CopySettings{}).CopyFIFO(t.Context(), path+"x")
	assert.ErrorIs(t, err, os.ErrNotExist)
}
