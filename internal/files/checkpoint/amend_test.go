package checkpoint_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
)

// heldStore calls during in each Set.
type heldStore struct {
	during func()

	mu     sync.Mutex
	values map[string][]byte
}

func (s *heldStore) Get(_ context.Context, key string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values[key], nil
}

func (s *heldStore) Set(_ context.Context, key string, value []byte) error {
	s.during()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values[key] = value
	return nil
}

func (s *heldStore) Delete(_ context.Context, key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.values, key)
	return nil
}

func (s *heldStore) state(t *testing.T, key string) string {
	t.Helper()
	value, err := s.Get(t.Context(), key)
	require.NoError(t, err)
	require.NotNil(t, value, "the checkpoint is gone")
	c, err := checkpoint.Decode(key, value)
	require.NoError(t, err)
	return string(c.State)
}

func newHeldStore() (*heldStore, *checkpoint.Saver) {
	store := &heldStore{during: func() {}, values: map[string][]byte{}}
	return store, checkpoint.NewSaver(store, func() {}, func(string, error) {})
}

func fileAt(offset int64, state string) *checkpoint.Checkpoint {
	return &checkpoint.Checkpoint{Stream: "a", Path: "/a", File: checkpoint.File{Offset: offset, Size: offset}, State: []byte(state)}
}

// TestAmend: an amended state is written at once. It remains until the consumer has a newer state, even if a checkpoint is saved whose
// state was taken before.
func TestAmend(t *testing.T) {
	store, s := newHeldStore()
	last := s.Save(nil, fileAt(10, "one"))
	entry := s.Entry(last.StoreKey())
	assert.True(t, entry.Covers(t.Context(), 10), "it is pending")
	assert.False(t, entry.Covers(t.Context(), 11))

	require.NoError(t, entry.Amend(t.Context(), []byte("two")))
	require.Equal(t, "two", store.state(t, last.StoreKey()))
	for _, step := range []struct {
		offset      int64
		state, want string
	}{{20, "one", "two"}, {30, "three", "three"}, {40, "one", "one"}} {
		last = s.Save(last, fileAt(step.offset, step.state))
		require.NoError(t, s.Flush(t.Context()))
		require.Equal(t, step.want, store.state(t, last.StoreKey()))
	}
}

// TestAmendDuringAWrite: a write that waits for an amendment does not delete what the amendment has written.
func TestAmendDuringAWrite(t *testing.T) {
	for range 200 {
		store, s := newHeldStore()
		key := s.Save(nil, fileAt(10, "one")).StoreKey()
		require.NoError(t, s.Flush(t.Context()))
		var writing sync.WaitGroup
		store.during = func() {
			store.during = func() {}
			writing.Go(func() { assert.NoError(t, s.Flush(t.Context())) })
			for range 100 {
				runtime.Gosched()
			}
		}
		require.NoError(t, s.Entry(key).Amend(t.Context(), []byte("two")))
		writing.Wait()
		require.Equal(t, "two", store.state(t, key))
	}
}
