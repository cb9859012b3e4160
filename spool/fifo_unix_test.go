//go:build unix

package spool

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func makeFIFO(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	return path
}

// writeTo opens a FIFO for writing, which waits for a reader, and closes it again.
func writeTo(t *testing.T, path, words string) {
	t.Helper()
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	if !assert.NoError(t, err) {
		return
	}
	_, err = w.WriteString(words)
	assert.NoError(t, err)
	assert.NoError(t, w.Close())
}

// untilEnd reads until the writers have closed the FIFO.
func untilEnd(t *testing.T, f *FIFO) string {
	t.Helper()
	var all strings.Builder
	buf := make([]byte, 7)
	for {
		n, err := f.Read(buf)
		all.Write(buf[:n])
		if errors.Is(err, io.EOF) {
			assert.Equal(t, io.EOF, err)
			return all.String()
		}
		require.NoError(t, err)
	}
}

// bothLooks runs a test with a system that reports new bytes, and with one that does not.
func bothLooks(t *testing.T, run func(t *testing.T, f *FIFO, path string)) {
	for name, timed := range map[string]bool{"notified": false, "timed": true} {
		t.Run(name, func(t *testing.T) {
			path := makeFIFO(t)
			f, err := OpenFIFO(path)
			require.NoError(t, err)
			f.timed = timed
			t.Cleanup(func() { assert.NoError(t, f.Close()) })
			run(t, f, path)
		})
	}
}

// TestFIFOEndsWithEachWriter has consecutive writers, one of which writes nothing.
func TestFIFOEndsWithEachWriter(t *testing.T) {
	bothLooks(t, func(t *testing.T, f *FIFO, path string) {
		for _, words := range []string{"first writer\n", "second\n", strings.Repeat("third ", 50_000)} {
			wrote := make(chan struct{})
			go func() { defer close(wrote); writeTo(t, path, words) }()
			assert.Equal(t, words, untilEnd(t, f))
			<-wrote
			writeTo(t, path, "")
		}
		n, err := f.Read(nil)
		assert.Zero(t, n)
		assert.NoError(t, err)
		assert.True(t, f.Lasting())
	})
}

// TestFIFOStop ends a waiting read, which first returns what has arrived.
func TestFIFOStop(t *testing.T) {
	bothLooks(t, func(t *testing.T, f *FIFO, path string) {
		w, err := os.OpenFile(path, os.O_WRONLY, 0)
		require.NoError(t, err)
		defer w.Close()
		_, err = w.WriteString("words")
		require.NoError(t, err)
		buf := make([]byte, 16)
		n, err := f.Read(buf)
		require.NoError(t, err)
		assert.Equal(t, "words", string(buf[:n]))
		ended := make(chan error)
		go func() { _, err := f.Read(buf); ended <- err }()
		f.Stop()
		f.Stop()
		require.ErrorIs(t, <-ended, os.ErrClosed)
		_, err = f.Read(buf)
		require.ErrorIs(t, err, os.ErrClosed)
	})
	bothLooks(t, func(t *testing.T, f *FIFO, path string) {
		writeTo(t, path, "last words")
		f.Stop()
		assert.Equal(t, "last words", untilEnd(t, f))
		_, err := f.Read(make([]byte, 8))
		require.ErrorIs(t, err, os.ErrClosed)
	})
}

// TestFIFOStopWithAFlood checks that an endless writer does not keep the reader from stopping.
func TestFIFOStopWithAFlood(t *testing.T) {
	path := makeFIFO(t)
	f, err := OpenFIFO(path)
	require.NoError(t, err)
	flooded := make(chan error, 1)
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	go func() {
		var err error
		for err == nil {
			_, err = w.Write(make([]byte, 64<<10))
		}
		flooded <- err
	}()
	f.Stop()
	for err = nil; err == nil; {
		_, err = f.Read(make([]byte, 64<<10))
	}
	require.ErrorIs(t, err, os.ErrClosed)
	require.NoError(t, f.Close())
	require.ErrorIs(t, <-flooded, syscall.EPIPE)
	require.NoError(t, w.Close())
}

// TestFIFOIsReplaced checks that a recreated FIFO is noticed, and that the next writer's is the one that is read.
func TestFIFOIsReplaced(t *testing.T) {
	path := makeFIFO(t)
	f, err := OpenFIFO(path)
	require.NoError(t, err)
	defer f.Close()
	assert.False(t, f.Replaced())
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = w.WriteString("old")
	require.NoError(t, err)
	_, err = f.Read(make([]byte, 8))
	require.NoError(t, err)

	require.NoError(t, os.Remove(path))
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	assert.False(t, f.Replaced(), "somebody writes")
	require.NoError(t, w.Close())
	assert.Empty(t, untilEnd(t, f))
	go writeTo(t, path, "new")
	assert.Equal(t, "new", untilEnd(t, f))

	require.NoError(t, os.Remove(path))
	assert.True(t, f.Replaced())
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	assert.True(t, f.Replaced())
}

// TestFIFOIsRemoved checks that the end of a writer is reported if the FIFO was removed by then, and the removal too.
func TestFIFOIsRemoved(t *testing.T) {
	path := makeFIFO(t)
	f, err := OpenFIFO(path)
	require.NoError(t, err)
	defer f.Close()
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = w.WriteString("last")
	require.NoError(t, err)
	_, err = f.Read(make([]byte, 8))
	require.NoError(t, err)
	require.NoError(t, os.Remove(path))
	require.NoError(t, w.Close())
	_, err = f.Read(make([]byte, 8))
	require.ErrorIs(t, err, io.EOF)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestNotAFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err := OpenFIFO(path)
	assert.ErrorContains(t, err, "not a fifo")
	_, err = OpenFIFO(path + "x")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// TestStdin reads a pipe, which can be opened again, and a socket, which can't.
func TestStdin(t *testing.T) {
	for name, pair := range map[string]func() (r, w *os.File){
		"pipe": func() (r, w *os.File) {
			r, w, err := os.Pipe()
			require.NoError(t, err)
			return r, w
		},
		"socket": func() (r, w *os.File) {
			fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			require.NoError(t, err)
			return os.NewFile(uintptr(fds[0]), "r"), os.NewFile(uintptr(fds[1]), "w")
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, w := pair()
			defer r.Close()
			in, err := OpenStdin(r)
			require.NoError(t, err)
			assert.False(t, in.Lasting())
			words := strings.Repeat("words ", 100_000)
			go func() { _, _ = w.WriteString(words); _ = w.Close() }()
			all, err := io.ReadAll(in)
			require.NoError(t, err)
			assert.True(t, words == string(all)) //nolint:testifylint // Equal would print both
			_, err = in.Read(make([]byte, 1))
			require.ErrorIs(t, err, io.EOF)
			require.NoError(t, in.Close())
			_, err = r.Stat()
			assert.NoError(t, err, "it stays open")
		})
		t.Run(name+" that is silent", func(t *testing.T) {
			r, w := pair()
			defer r.Close()
			in, err := OpenStdin(r)
			require.NoError(t, err)
			ended := make(chan error)
			go func() { _, err := in.Read(make([]byte, 1)); ended <- err }()
			in.Stop()
			require.ErrorIs(t, <-ended, os.ErrClosed)
			require.NoError(t, in.Close())
			require.NoError(t, w.Close()) // ends the read that could not be interrupted
		})
	}
}
