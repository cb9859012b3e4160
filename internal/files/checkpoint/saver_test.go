package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// saving is a Saver in a bubble, with what it reported.
type saving struct {
	*testing.T
	*checkpoint.Saver
	memory  *filestest.Memory
	saved   atomic.Int64
	mu      sync.Mutex
	unsaved []string
}

// calls returns how often the store was called.
func (s *saving) calls() int {
	s.memory.Mu.Lock()
	defer s.memory.Mu.Unlock()
	return s.memory.Calls
}

// fail sets how calls of the store end.
func (s *saving) fail(how func(int) error) {
	s.memory.Mu.Lock()
	defer s.memory.Mu.Unlock()
	s.memory.Fail = how
}

// slow sets how long a write takes. The store is locked meanwhile.
func (s *saving) slow(write func()) {
	s.memory.Mu.Lock()
	defer s.memory.Mu.Unlock()
	s.memory.Wrote = write
}

// failed returns the paths and keys that were not written.
func (s *saving) failed() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.unsaved)
}

func full(int) error { return filestest.ErrStore }

// savers runs a test with a store that can write many values at once and with one that can't.
func savers(t *testing.T, test func(s *saving, batches bool)) {
	for _, batches := range []bool{true, false} {
		t.Run(fmt.Sprintf("batches=%v", batches), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &saving{T: t, memory: filestest.NewMemory()}
				var store checkpoint.Store = s.memory
				if batches {
					store = filestest.Batching{Walking: filestest.Walking{Memory: s.memory}}
				}
				s.Saver = checkpoint.NewSaver(store, func() { s.saved.Add(1) }, func(path string, _ error) {
					s.mu.Lock()
					defer s.mu.Unlock()
					s.unsaved = append(s.unsaved, path)
				})
				s.Start(t.Context())
				test(s, batches)
			})
		})
	}
}

// at returns the checkpoint of a stream at an offset.
func at(stream string, offset int64) *checkpoint.Checkpoint {
	return &checkpoint.Checkpoint{Stream: stream, Path: "/" + stream, File: checkpoint.File{Offset: offset}}
}

func keyOf(stream string) string { return checkpoint.FilePrefix + stream }

// offset returns what the store has of a stream, or -1.
func (s *saving) offset(stream string) int64 {
	value := s.memory.Positions()[keyOf(stream)]
	if value == nil {
		return -1
	}
	c, err := checkpoint.Decode(keyOf(stream), value)
	require.NoError(s, err)
	return c.Offset
}

// pass lets time pass; the bubble's clock makes that exact.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// TestCheckpointsAreWrittenTogether: the checkpoints of many streams take a few writes, if the store can, 20 ms after the first.
func TestCheckpointsAreWrittenTogether(t *testing.T) {
	savers(t, func(s *saving, batches bool) {
		defer s.Stop()
		const streams = 1000
		for i := range streams {
			s.Save(nil, at(fmt.Sprint(i), int64(i+1)))
		}
		pass(19 * time.Millisecond)
		assert.Zero(s, s.calls())
		pass(time.Millisecond)
		if batches {
			assert.LessOrEqual(s, s.calls(), 4)
		} else {
			assert.Equal(s, streams, s.calls())
		}
		assert.Len(s, s.memory.Positions(), streams)
		for i := range streams {
			assert.EqualValues(s, i+1, s.offset(fmt.Sprint(i)))
		}
		assert.EqualValues(s, 1, s.saved.Load())
		pass(time.Hour)
		assert.EqualValues(s, 1, s.saved.Load(), "nothing is left")
	})
}

// TestReplacedCheckpointsAreNotWritten: of a stream only the newest checkpoint is written, and none that has not changed.
func TestReplacedCheckpointsAreNotWritten(t *testing.T) {
	savers(t, func(s *saving, _ bool) {
		defer s.Stop()
		var last *checkpoint.Checkpoint
		for i := range 10 {
			c := at("a", int64(i+1))
			c.State = fmt.Append(nil, "state ", i)
			last = s.Save(last, c)
			copy(c.State, "xxxxx") // it belongs to the caller
		}
		pass(time.Second)
		assert.Equal(s, 1, s.calls())
		assert.EqualValues(s, 10, s.offset("a"))
		stored, err := s.Lookup(s.Context(), keyOf("a"))
		require.NoError(s, err)
		assert.Equal(s, "state 9", string(stored.State))
		calls := s.calls()
		same := at("a", 10)
		same.State = []byte("state 9")
		assert.Same(s, last, s.Save(last, same))
		pass(time.Second)
		assert.Equal(s, calls, s.calls())
	})
}

// TestSlowStore: saving takes at most a tenth of the time, but a checkpoint waits a second at most beside the writes.
func TestSlowStore(t *testing.T) {
	for _, test := range []struct {
		name        string
		write, wait time.Duration
	}{
		{"fast", 0, 20 * time.Millisecond},
		{"slow", 50 * time.Millisecond, 450 * time.Millisecond},
		{"very slow", 3 * time.Second, time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			savers(t, func(s *saving, _ bool) {
				defer s.Stop()
				var ends []time.Time
				s.slow(func() {
					time.Sleep(test.write)
					ends = append(ends, time.Now())
				})
				var last *checkpoint.Checkpoint
				for begin, i := time.Now(), int64(1); time.Since(begin) < time.Minute; i++ {
					last = s.Save(last, at("a", i))
					pass(4 * time.Millisecond)
				}
				pass(time.Minute) // so that no write holds the lock
				s.memory.Mu.Lock()
				defer s.memory.Mu.Unlock()
				require.Greater(s, len(ends), 10)
				for i := range ends[1:] {
					assert.InDelta(s, test.wait+test.write, ends[i+1].Sub(ends[i]), float64(4*time.Millisecond))
				}
			})
		})
	}
}

// TestFailedWritesAreRepeated: what was not written is reported and written later, unless it was replaced.
func TestFailedWritesAreRepeated(t *testing.T) {
	savers(t, func(s *saving, batches bool) {
		defer s.Stop()
		s.fail(full)
		a := s.Save(nil, at("a", 1))
		s.Save(nil, at("b", 1))
		s.Delete("c")
		pass(20 * time.Millisecond)
		assert.ElementsMatch(s, []string{"/a", "/b", "c"}, s.failed())
		s.Save(a, at("a", 2))
		pass(990 * time.Millisecond)
		assert.Len(s, s.failed(), 3, "not tried again yet")
		pass(10 * time.Millisecond)
		assert.Len(s, s.failed(), 6)
		assert.Zero(s, s.saved.Load())
		s.fail(nil)
		pass(time.Second)
		assert.EqualValues(s, 2, s.offset("a"))
		assert.EqualValues(s, 1, s.offset("b"))
		assert.EqualValues(s, 1, s.saved.Load())
		calls := s.calls()
		pass(time.Hour)
		assert.Equal(s, calls, s.calls())
	})
}

// TestFlush writes what is pending, even if the context has ended, and reports that it could not.
func TestFlush(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	savers(t, func(s *saving, _ bool) {
		s.Save(nil, at("a", 1))
		s.Save(nil, at("b", 1))
		s.Stop()
		assert.Zero(s, s.calls())
		s.fail(full)
		err := s.Flush(ended)
		require.ErrorIs(s, err, filestest.ErrStore)
		assert.Contains(s, err.Error(), "save checkpoint of \"/")
		s.fail(nil)
		require.NoError(s, s.Flush(ended))
		assert.Len(s, s.memory.Positions(), 2)
		calls := s.calls()
		require.NoError(s, s.Flush(ended))
		assert.Equal(s, calls, s.calls(), "nothing is left")
	})
}

// TestStopDuringAWrite waits for the write, and what came meanwhile is flushed.
func TestStopDuringAWrite(t *testing.T) {
	savers(t, func(s *saving, _ bool) {
		s.slow(func() { time.Sleep(time.Second) })
		a := s.Save(nil, at("a", 1))
		pass(100 * time.Millisecond)
		s.Save(a, at("a", 2))
		s.Stop()
		assert.EqualValues(s, 1, s.offset("a"))
		require.NoError(s, s.Flush(s.Context()))
		assert.EqualValues(s, 2, s.offset("a"))
	})
}

// TestDelete: the order of Save and Delete is that of the calls, also beside a write.
func TestDelete(t *testing.T) {
	for _, during := range []bool{false, true} {
		t.Run(fmt.Sprintf("during=%v", during), func(t *testing.T) {
			savers(t, func(s *saving, _ bool) {
				defer s.Stop()
				if during {
					s.slow(func() { time.Sleep(time.Second) })
				}
				a := s.Save(nil, at("a", 1))
				b := s.Save(nil, at("b", 1))
				if during {
					pass(100 * time.Millisecond)
				}
				s.Delete(keyOf("a"), keyOf("b"))
				s.Save(b, at("b", 2))
				pass(time.Minute)
				assert.EqualValues(s, -1, s.offset("a"))
				assert.EqualValues(s, 2, s.offset("b"))
				s.Save(a, at("a", 3))
				pass(time.Minute)
				assert.EqualValues(s, 3, s.offset("a"))
			})
		})
	}
}

// TestLookup finds what is pending, what is being written and what could not be written.
func TestLookup(t *testing.T) {
	savers(t, func(s *saving, _ bool) {
		defer s.Stop()
		want := func(offset int64) {
			s.Helper()
			c, err := s.Lookup(s.Context(), keyOf("a"))
			require.NoError(s, err)
			if offset < 0 {
				assert.Nil(s, c)
				return
			}
			require.NotNil(s, c)
			assert.Equal(s, offset, c.Offset)
		}
		want(-1)
		a := s.Save(nil, at("a", 1))
		want(1)
		s.fail(func(int) error { // which takes a second
			s.memory.Mu.Unlock()
			defer s.memory.Mu.Lock()
			time.Sleep(time.Second)
			return filestest.ErrStore
		})
		pass(100 * time.Millisecond)
		want(1)
		pass(time.Second)
		require.NotEmpty(s, s.failed())
		want(1)
		s.fail(nil)
		pass(time.Minute)
		want(1)
		require.EqualValues(s, 1, s.offset("a"))
		s.Save(a, at("a", 2))
		want(2)
		s.Delete(keyOf("a"))
		want(-1)
		require.EqualValues(s, 1, s.offset("a"), "not deleted yet")
		pass(time.Minute)
		want(-1)
	})
}

// TestUselessValuesAreDeleted: a broken value is reported once; one of a newer version is kept.
func TestUselessValuesAreDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := filestest.NewMemory()
		good, err := at("good", 1).Encode()
		require.NoError(t, err)
		maps.Copy(memory.Values, map[string][]byte{
			keyOf("good"): good, keyOf("broken"): good[:20], "other": good[:20],
			keyOf("newer"): []byte(strings.Replace(string(good), " 2 ", " 3 ", 1)),
		})
		s := checkpoint.NewSaver(filestest.Batching{Walking: filestest.Walking{Memory: memory}}, func() {}, func(string, error) {})
		var used, unusable []string
		require.NoError(t, s.Each(t.Context(), checkpoint.FilePrefix, func(c *checkpoint.Checkpoint) { used = append(used, c.Stream) }, func(key string, err error) {
			assert.True(t, errors.Is(err, checkpoint.ErrBroken) || errors.Is(err, checkpoint.ErrNewer))
			unusable = append(unusable, key)
		}))
		assert.Equal(t, []string{"good"}, used)
		assert.ElementsMatch(t, []string{keyOf("broken"), keyOf("newer")}, unusable)
		s.Start(t.Context())
		pass(time.Second)
		s.Stop()
		assert.Equal(t, []string{keyOf("good"), keyOf("newer"), "other"}, slices.Sorted(maps.Keys(memory.Values)))
	})
}
