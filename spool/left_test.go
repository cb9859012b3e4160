package spool

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLeft resumes what a previous process left, and nothing else.
func TestLeft(t *testing.T) {
	dir := t.TempDir()
	none, err := Left(filepath.Join(dir, "nowhere"))
	require.NoError(t, err)
	assert.Empty(t, none)
	s, err := Create(Settings{Dir: dir})
	require.NoError(t, err)
	write(t, s, "words")
	s.Keep()
	require.NoError(t, s.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.spool"), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "tailspan-x.spool"), 0o700))

	left, err := Left(dir)
	require.NoError(t, err)
	require.Equal(t, []string{s.Path()}, left)
	again, err := Open(left[0])
	require.NoError(t, err)
	assert.Equal(t, s.Name(), again.Name())
	assert.Nil(t, again.File())
	assert.EqualValues(t, 5, again.Size())
	all, err := io.ReadAll(again.Tail().Reader(t.Context()))
	require.NoError(t, err)
	assert.Equal(t, "words", string(all))
	require.NoError(t, again.Close())
	assert.NoFileExists(t, s.Path())
	_, err = Open(left[0])
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestNamesNeverComeAgain(t *testing.T) {
	a, b := newSpool(t), newSpool(t)
	assert.NotEqual(t, a.Name(), b.Name())
	assert.NotContains(t, a.Name(), ".")
}

func TestCloseAfterRemoval(t *testing.T) {
	s, err := Create(Settings{Dir: t.TempDir()})
	require.NoError(t, err)
	require.NoError(t, os.Remove(s.Path()))
	assert.NoError(t, s.Close())
}

func TestLock(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders are not locked there")
	}
	dir := t.TempDir()
	unlock, err := Lock(dir)
	require.NoError(t, err)
	_, err = Lock(dir)
	require.ErrorIs(t, err, ErrLocked)
	require.NoError(t, unlock())
	unlock, err = Lock(dir)
	require.NoError(t, err)
	require.NoError(t, unlock())
	_, err = Lock(filepath.Join(dir, "no"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// TestBudget has two spools that share a budget, and one that returns what the disk did not accept.
func TestBudget(t *testing.T) {
	b := NewBudget(10)
	b.Use(3)
	one, two := newSpool(t), newSpool(t)
	first := NewCopier(one, CopySettings{Budget: b})
	first.Take(make([]byte, 4))
	var reason error
	second := NewCopier(two, CopySettings{Budget: b, Dropping: func(err error) { reason = err }})
	second.Take(make([]byte, 5))
	assert.EqualValues(t, 3, two.Size())
	assert.EqualValues(t, 2, second.Dropped())
	require.ErrorIs(t, reason, ErrFull)
	assert.ErrorContains(t, reason, "10 bytes")
	b.Return(4)
	third := NewCopier(newSpool(t), CopySettings{Budget: b})
	third.to = &full{to: io.Discard, room: 1, err: errors.New("no space")}
	third.Take(make([]byte, 4))
	assert.EqualValues(t, 3, third.Dropped())
	fourth := newSpool(t)
	NewCopier(fourth, CopySettings{Budget: b}).Take(make([]byte, 9))
	assert.EqualValues(t, 3, fourth.Size())
}
