package tail_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/tailspan/tailspan/tail"
)

// memory is a store that outlives the sources of a test. It can't walk; walking can.
type memory struct {
	mu     sync.Mutex
	values map[string][]byte
	calls  int
	fail   func(call int) error
	wrote  func() // after each Set, with the lock held
}

type walking struct{ *memory }

var errStore = errors.New("no space left on device")

func newMemory() *memory { return &memory{values: map[string][]byte{}} }

// positions are the values but for inventories.
func (m *memory) positions() map[string][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := maps.Clone(m.values)
	maps.DeleteFunc(all, func(key string, _ []byte) bool { return strings.HasPrefix(key, "seen/") })
	return all
}

// called counts a call and says how it ends. The caller has the lock.
func (m *memory) called() error {
	m.calls++
	if m.fail != nil {
		return m.fail(m.calls)
	}
	return nil
}

func (m *memory) Get(_ context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.values[key], m.called()
}

func (m *memory) Set(_ context.Context, key string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.called(); err != nil {
		return err
	}
	m.values[key] = value
	if m.wrote != nil {
		m.wrote()
	}
	return nil
}

func (m *memory) Delete(_ context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.called(); err != nil {
		return err
	}
	delete(m.values, key)
	return nil
}

func (w walking) Walk(_ context.Context, f func(string, []byte) error) error {
	w.mu.Lock()
	values := maps.Clone(w.values)
	err := w.called()
	w.mu.Unlock()
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if err := f(key, values[key]); err != nil {
			return err
		}
	}
	return nil
}

// stores runs a test with a store that tells all that it holds and with one that does not.
func stores(t *testing.T, test func(w *world, store tail.Store, walks bool)) {
	for _, walks := range []bool{true, false} {
		t.Run(fmt.Sprintf("walks=%v", walks), func(t *testing.T) {
			bubble(t, func(w *world) {
				if walks {
					test(w, walking{newMemory()}, true)
				} else {
					test(w, newMemory(), false)
				}
			})
		})
	}
}

func with(store tail.Store) func(*tail.Settings) {
	return func(s *tail.Settings) { s.PollOnly, s.Store, s.Replay = true, store, true }
}

// TestStoreFails lets each call of the store fail, once and for good: reading goes on, and what was saved is no lie.
func TestStoreFails(t *testing.T) {
	lines, text := records(0, 30)
	next, nextText := records(30, 40)
	for _, forGood := range []bool{false, true} {
		for n := range 10 { // the writes of 10 batches
			t.Run(fmt.Sprintf("forGood=%v/call=%d", forGood, n), func(t *testing.T) {
				bubble(t, func(w *world) {
					store := newMemory()
					store.fail = func(call int) error {
						if call == n+4 || forGood && call > n+4 { // the first three are those of the start
							return errStore
						}
						return nil
					}
					unsaved := 0
					w.add("a.jsonl", text)
					w.sink = newSink()
					core, logs := observer.New(zap.ErrorLevel)
					f, err := tail.New(w.settings(with(walking{store}), func(s *tail.Settings) {
						s.BatchLines, s.Logger = 3, zap.New(core)
						s.Observer.Unsaved = func(string, error) { unsaved++ }
					}), w.sink)
					require.NoError(w, err)
					require.NoError(w, f.Start(w.Context()))
					w.pass(time.Minute)
					assert.Equal(w, lines, w.sink.all())
					if forGood {
						assert.Equal(w, 1, logs.FilterMessage("checkpoint not saved, will retry").Len(), "what to do is said once")
					}
					err = f.Shutdown(w.Context())
					if forGood {
						assert.ErrorIs(w, err, errStore)
						assert.Positive(w, unsaved)
					} else {
						assert.NoError(w, err)
					}
					store.fail = nil
					w.add("a.jsonl", nextText)
					fresh, replayed := w.run(with(walking{store})).newLines()
					all := append(slices.Clone(lines), next...)
					require.GreaterOrEqual(w, len(fresh), len(next))
					assert.Equal(w, all[len(all)-len(fresh):], fresh)
					if !forGood {
						assert.Equal(w, next, fresh)
					}
					assert.Equal(w, len(all)-len(fresh), replayed)
				})
			})
		}
	}
}

// A store that can't be read at start is no empty store.
func TestStoreUnreadable(t *testing.T) {
	bubble(t, func(w *world) {
		store := newMemory()
		store.fail = func(int) error { return errStore }
		f, err := tail.New(w.settings(with(walking{store})), newSink())
		require.NoError(w, err)
		assert.ErrorIs(w, f.Start(w.Context()), errStore)
		assert.NoError(w, f.Shutdown(w.Context()))
	})
}

func TestStoredValueNotUnderstood(t *testing.T) {
	lines, text := records(0, 10)
	for name, test := range map[string]struct {
		change func([]byte) []byte
		want   error
	}{
		"newer":          {func(v []byte) []byte { return []byte(strings.Replace(string(v), " 2 ", " 3 ", 1)) }, tail.ErrNewer},
		"older":          {func(v []byte) []byte { return []byte(strings.Replace(string(v), " 2 ", " 1 ", 1)) }, tail.ErrOlder},
		"torn":           {func(v []byte) []byte { return v[:len(v)/2] }, tail.ErrBroken},
		"a bit flipped":  {func(v []byte) []byte { v = slices.Clone(v); v[len(v)-10] ^= 1; return v }, tail.ErrBroken},
		"empty":          {func([]byte) []byte { return []byte{} }, tail.ErrBroken},
		"something else": {func([]byte) []byte { return []byte(`{"offset":12}`) }, tail.ErrBroken},
	} {
		t.Run(name, func(t *testing.T) {
			stores(t, func(w *world, store tail.Store, walks bool) {
				w.add("a.jsonl", text)
				w.run(with(store))
				values := memoryOf(store).positions()
				require.Len(w, values, 1)
				for key, v := range values {
					memoryOf(store).values[key] = test.change(v)
				}
				var told []error
				got := w.run(with(store), func(s *tail.Settings) {
					s.Observer.Unusable = func(_ string, err error) { told = append(told, err) }
				})
				assert.Equal(w, lines, got.all(), "as if new, with walks=%v", walks)
				require.Len(w, told, 1)
				assert.ErrorIs(w, told[0], test.want)
				assert.Empty(w, w.run(with(store)).all(), "then it has a position again")
			})
		})
	}
}

// TestOlderCheckpointsAreDeleted: those of files that are gone would be reported at each start.
func TestOlderCheckpointsAreDeleted(t *testing.T) {
	_, text := records(0, 10)
	bubble(t, func(w *world) {
		store := newMemory()
		w.add("a.jsonl", text)
		w.run(with(walking{store}))
		require.Len(w, store.positions(), 1)
		for key, v := range store.positions() {
			store.values[key] = []byte(strings.Replace(string(v), " 2 ", " 1 ", 1))
		}
		w.remove("a.jsonl")
		unusable := 0
		count := func(s *tail.Settings) { s.Observer.Unusable = func(string, error) { unusable++ } }
		w.run(with(walking{store}), count)
		w.run(with(walking{store}), count)
		assert.Equal(w, 1, unusable)
		assert.Empty(w, store.positions())
	})
}

func memoryOf(s tail.Store) *memory {
	if w, ok := s.(walking); ok {
		return w.memory
	}
	return s.(*memory)
}

// TestKeepUnlinked: what the store has of files that are gone for long is deleted at start, and nothing else.
func TestKeepUnlinked(t *testing.T) {
	bubble(t, func(w *world) {
		store := newMemory()
		for _, name := range []string{"gone", "idle", "grown", "moved"} {
			w.add(name+".jsonl", record(len(name))+name+"\n")
		}
		w.run(with(walking{store}))
		require.Len(w, store.positions(), 4)
		w.remove("gone.jsonl")
		assert.Empty(w, w.run(with(walking{store})).all())
		assert.Len(w, store.positions(), 4, "not yet")
		time.Sleep(8 * 24 * time.Hour) // of the bubble's clock
		w.rename("moved.jsonl", "elsewhere.jsonl")
		w.add("grown.jsonl", "more\n")
		fresh, _ := w.run(with(walking{store})).newLines()
		assert.Equal(w, []string{"more"}, fresh)
		assert.Len(w, store.positions(), 3)
		assert.Empty(w, w.run(with(walking{store})).all())
	})
}
