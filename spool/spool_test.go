package spool

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// create returns a spool that is removed after the test.
func newSpool(t *testing.T) *Spool {
	t.Helper()
	s, err := Create(Settings{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func write(t *testing.T, s *Spool, text string) {
	t.Helper()
	_, err := s.File().WriteString(text)
	require.NoError(t, err)
}

// next reads what is available after waiting for it.
func next(t *testing.T, tail *Tail) string {
	t.Helper()
	require.NoError(t, tail.Wait(t.Context()))
	buf := make([]byte, 1<<10)
	n, err := tail.Read(buf)
	require.NoError(t, err)
	return string(buf[:n])
}

func TestTailFollowsAFile(t *testing.T) {
	s := newSpool(t)
	s.Watch()
	early := s.Tail()
	before := time.Now()
	write(t, s, "one")
	assert.Equal(t, "one", next(t, early))
	n, err := early.Read(make([]byte, 8))
	assert.Zero(t, n)
	require.NoError(t, err, "nothing now, but it has not ended")
	write(t, s, "two")
	assert.Equal(t, "two", next(t, early))
	assert.False(t, early.Arrival(0).Before(before))
	assert.False(t, early.Arrival(3).Before(early.Arrival(0)))
	assert.True(t, early.Arrival(6).IsZero(), "a byte that has not come")

	write(t, s, "three")
	s.Finish()
	s.Finish()
	assert.EqualValues(t, 5, early.Left())
	assert.Equal(t, "three", next(t, early))
	_, err = early.Read(make([]byte, 8))
	require.ErrorIs(t, err, io.EOF)
	all, err := io.ReadAll(s.Tail().Reader(t.Context()))
	require.NoError(t, err)
	assert.Equal(t, "onetwothree", string(all), "a tail that came late")
}

func TestWaitEndsWithItsContext(t *testing.T) {
	s := newSpool(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, s.Tail().Wait(ctx), context.Canceled)
}

func TestRewritten(t *testing.T) {
	s := newSpool(t)
	tail := s.Tail()
	write(t, s, "old words")
	s.poll()
	require.Equal(t, "old words", next(t, tail))
	require.NoError(t, os.Truncate(s.Path(), 0))
	s.poll()
	write(t, s, "new")
	s.poll()
	_, err := tail.Read(make([]byte, 8))
	require.ErrorIs(t, err, ErrRewritten)
	assert.Equal(t, "new", next(t, tail), "the writer appends: no hole")
}

// TestRewrittenBetweenPolls has a writer that changes a direct spool between two polls, after which it is as long as before or longer.
func TestRewrittenBetweenPolls(t *testing.T) {
	const old = "old words\n"
	for name, c := range map[string]struct {
		change func(t *testing.T, s *Spool)
		lost   int
		left   string
	}{
		"appends": {func(t *testing.T, s *Spool) { write(t, s, "more\n") }, 0, "more\n"},
		"appends through another file": {func(t *testing.T, s *Spool) {
			replace(t, s, os.O_APPEND, "more\n")
		}, 0, "more\n"},
		"truncates and writes more": {func(t *testing.T, s *Spool) {
			require.NoError(t, os.Truncate(s.Path(), 0))
			write(t, s, "new words, which are longer\n")
		}, len(old), "new words, which are longer\n"},
		"truncates and writes as much": {func(t *testing.T, s *Spool) {
			require.NoError(t, os.Truncate(s.Path(), 0))
			write(t, s, "new words\n")
		}, len(old), "new words\n"},
		"overwrites": {func(t *testing.T, s *Spool) { replace(t, s, 0, "new words\n") }, len(old), "new words\n"},
		"writes what no poll sees and truncates through another file": {func(t *testing.T, s *Spool) {
			write(t, s, "unseen\n")
			replace(t, s, os.O_TRUNC, old)
		}, len(old) + len("unseen\n"), old},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSpool(t)
			s.witness = &witness{}
			tail := s.Tail()
			write(t, s, old)
			s.poll()
			require.Equal(t, old, next(t, tail))
			c.change(t, s)
			s.poll()
			s.Finish()
			assert.EqualValues(t, c.lost, s.Lost())
			if c.lost > 0 {
				_, err := tail.Read(make([]byte, 8))
				require.ErrorIs(t, err, ErrRewritten, "once")
			}
			assert.Equal(t, c.left, next(t, tail))
		})
	}
}

// replace opens the file of a spool again and writes to it.
func replace(t *testing.T, s *Spool, flags int, text string) {
	t.Helper()
	file, err := os.OpenFile(s.Path(), os.O_WRONLY|flags, 0)
	require.NoError(t, err)
	_, err = file.WriteString(text)
	require.NoError(t, errors.Join(err, file.Close()))
}

func TestCloseRemoves(t *testing.T) {
	s, err := Create(Settings{Dir: t.TempDir()})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	assert.NoFileExists(t, s.Path())

	s, err = Create(Settings{Dir: t.TempDir()})
	require.NoError(t, err)
	s.Keep()
	require.NoError(t, s.Close())
	assert.FileExists(t, s.Path())
}

func TestHide(t *testing.T) {
	s, err := Create(Settings{Dir: t.TempDir()})
	require.NoError(t, err)
	if err := s.Hide(); err != nil {
		require.FileExists(t, s.Path())
		t.Skip("this system keeps the names of open files")
	}
	assert.NoFileExists(t, s.Path())
	write(t, s, "words")
	s.Finish()
	all, err := io.ReadAll(s.Tail().Reader(t.Context()))
	require.NoError(t, err)
	assert.Equal(t, "words", string(all))
	assert.NoError(t, s.Close())
}

// full is a disk with a limited capacity.
type full struct {
	to   io.Writer
	room int
	err  error
}

func (f *full) Write(p []byte) (int, error) {
	if len(p) <= f.room {
		f.room -= len(p)
		return f.to.Write(p)
	}
	n, err := f.to.Write(p[:f.room])
	f.room = 0
	return n, errors.Join(err, f.err)
}

// TestDiskFull checks that a copied input is read to its end when the disk is full, that its beginning is kept and the rest
// counted, and that this is reported once, although the disk has room again later.
func TestDiskFull(t *testing.T) {
	errNoSpace := errors.New("no space left on device")
	s := newSpool(t)
	var reported []error
	c := NewCopier(s, CopySettings{Dropping: func(reason error) { reported = append(reported, reason) }})
	disk := &full{to: s.file, room: 100_000, err: errNoSpace}
	c.to = disk
	input := bytes.Repeat([]byte("0123456789"), 30_000)
	require.NoError(t, c.Copy(bytes.NewReader(input)))
	assert.EqualValues(t, 200_000, c.Dropped())
	require.Len(t, reported, 1)
	assert.ErrorIs(t, reported[0], errNoSpace)
	disk.room = 1 << 20
	require.NoError(t, c.Copy(strings.NewReader("more")))
	assert.EqualValues(t, 200_004, c.Dropped())
	s.Finish()
	all, err := io.ReadAll(s.Tail().Reader(t.Context()))
	require.NoError(t, err)
	assert.Equal(t, input[:100_000], all)
}

func TestCopierLimit(t *testing.T) {
	for _, size := range []int{9, 10, 11, 200_000} {
		s := newSpool(t)
		c := NewCopier(s, CopySettings{MaxBytes: 10})
		require.NoError(t, c.Copy(bytes.NewReader(make([]byte, size))))
		assert.EqualValues(t, max(0, size-10), c.Dropped())
		assert.EqualValues(t, min(10, size), s.Size())
	}
}

// TestArrivals checks that times are in order, never too early, and need bounded memory.
func TestArrivals(t *testing.T) {
	var a arrivals
	begin := time.Unix(0, 0)
	for i := range 10 * maxArrivals {
		a.add(int64(i+1)*10, begin.Add(time.Duration(i)))
		assert.LessOrEqual(t, len(a.steps), maxArrivals)
	}
	last := time.Time{}
	for offset := int64(0); offset < 10*maxArrivals*10; offset += 997 {
		at := a.of(offset)
		assert.False(t, at.Before(begin.Add(time.Duration(offset/10))), offset)
		assert.False(t, at.Before(last), offset)
		last = at
	}
}
