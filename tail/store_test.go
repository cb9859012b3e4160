package tail_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

// stores runs a test with a store that can list its keys and with one that can't.
func stores(t *testing.T, test func(w *world, store tail.Store, walks bool)) {
	for _, walks := range []bool{true, false} {
		t.Run(fmt.Sprintf("walks=%v", walks), func(t *testing.T) {
			bubble(t, func(w *world) {
				if walks {
					test(w, filestest.Walking{Memory: filestest.NewMemory()}, true)
				} else {
					test(w, filestest.NewMemory(), false)
				}
			})
		})
	}
}

// slowSink returns a Sink that takes each batch so slowly that its checkpoint is written before the next one.
func slowSink() *filestest.Sink {
	sink := filestest.NewSink()
	sink.Accept = func(tail.Stream, []tail.Line) error {
		sink.Mu.Unlock()
		defer sink.Mu.Lock()
		time.Sleep(50 * time.Millisecond) //nolint:forbidigo // by the bubble's clock
		return nil
	}
	return sink
}

func with(store tail.Store) func(*tail.Settings) {
	return func(s *tail.Settings) { s.PollOnly, s.Store, s.Replay = true, store, true }
}

// TestStoreFails makes each call of the store fail, once and forever: reading continues, and what was saved is correct.
func TestStoreFails(t *testing.T) {
	lines, text := filestest.Records(0, 30)
	next, nextText := filestest.Records(30, 40)
	for _, forGood := range []bool{false, true} {
		for n := range 10 { // the writes of 10 batches
			t.Run(fmt.Sprintf("forGood=%v/call=%d", forGood, n), func(t *testing.T) {
				bubble(t, func(w *world) {
					store := filestest.NewMemory()
					store.Fail = func(call int) error {
						if call == n+4 || forGood && call > n+4 { // the first three are those of the start
							return filestest.ErrStore
						}
						return nil
					}
					unsaved := 0
					w.Add("a.jsonl", text)
					w.Sink = slowSink()
					core, logs := observer.New(zap.ErrorLevel)
					f, err := tail.New(w.settings(with(filestest.Walking{Memory: store}), func(s *tail.Settings) {
						s.BatchLines, s.Logger = 3, zap.New(core)
						s.Observer.Unsaved = func(string, error) { unsaved++ }
					}), w.Sink)
					require.NoError(w, err)
					require.NoError(w, f.Start(w.Context()))
					w.Pass(time.Minute)
					assert.Equal(w, lines, w.Sink.All())
					if forGood {
						assert.Equal(w, 1, logs.FilterMessage("checkpoint not saved, will retry").Len(), "what to do is said once")
					}
					err = f.Shutdown(w.Context())
					if forGood {
						assert.ErrorIs(w, err, filestest.ErrStore)
						assert.Positive(w, unsaved)
					} else {
						assert.NoError(w, err)
					}
					store.Fail = nil
					w.Add("a.jsonl", nextText)
					fresh, replayed := w.run(with(filestest.Walking{Memory: store})).NewLines()
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

// A store that can't be read at start is not an empty store.
func TestStoreUnreadable(t *testing.T) {
	bubble(t, func(w *world) {
		store := filestest.NewMemory()
		store.Fail = func(int) error { return filestest.ErrStore }
		f, err := tail.New(w.settings(with(filestest.Walking{Memory: store})), filestest.NewSink())
		require.NoError(w, err)
		assert.ErrorIs(w, f.Start(w.Context()), filestest.ErrStore)
		assert.NoError(w, f.Shutdown(w.Context()))
	})
}

func TestStoredValueNotUnderstood(t *testing.T) {
	lines, text := filestest.Records(0, 10)
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
				w.Add("a.jsonl", text)
				w.run(with(store))
				values := filestest.MemoryOf(store).Positions()
				require.Len(w, values, 1)
				for key, v := range values {
					filestest.MemoryOf(store).Values[key] = test.change(v)
				}
				var reported []error
				got := w.run(with(store), func(s *tail.Settings) {
					s.Observer.Unusable = func(_ string, err error) { reported = append(reported, err) }
				})
				assert.Equal(w, lines, got.All(), "as if new, with walks=%v", walks)
				require.Len(w, reported, 1)
				assert.ErrorIs(w, reported[0], test.want)
				assert.Empty(w, w.run(with(store)).All(), "then it has a position again")
			})
		})
	}
}

// TestOlderCheckpointsAreDeleted: those of deleted files would be reported at each start.
func TestOlderCheckpointsAreDeleted(t *testing.T) {
	_, text := filestest.Records(0, 10)
	bubble(t, func(w *world) {
		store := filestest.NewMemory()
		w.Add("a.jsonl", text)
		w.run(with(filestest.Walking{Memory: store}))
		require.Len(w, store.Positions(), 1)
		for key, v := range store.Positions() {
			store.Values[key] = []byte(strings.Replace(string(v), " 2 ", " 1 ", 1))
		}
		w.Remove("a.jsonl")
		unusable := 0
		count := func(s *tail.Settings) { s.Observer.Unusable = func(string, error) { unusable++ } }
		w.run(with(filestest.Walking{Memory: store}), count)
		w.run(with(filestest.Walking{Memory: store}), count)
		assert.Equal(w, 1, unusable)
		assert.Empty(w, store.Positions())
	})
}

// TestKeepUnlinked: checkpoints of files that have long been missing are deleted at start, and nothing else.
func TestKeepUnlinked(t *testing.T) {
	bubble(t, func(w *world) {
		store := filestest.NewMemory()
		for _, name := range []string{"gone", "idle", "grown", "moved"} {
			w.Add(name+".jsonl", filestest.Record(len(name))+name+"\n")
		}
		w.run(with(filestest.Walking{Memory: store}))
		require.Len(w, store.Positions(), 4)
		w.Remove("gone.jsonl")
		assert.Empty(w, w.run(with(filestest.Walking{Memory: store})).All())
		assert.Len(w, store.Positions(), 4, "not yet")
		time.Sleep(8 * 24 * time.Hour) // by the bubble's clock
		w.Rename("moved.jsonl", "elsewhere.jsonl")
		w.Add("grown.jsonl", "more\n")
		fresh, _ := w.run(with(filestest.Walking{Memory: store})).NewLines()
		assert.Equal(w, []string{"more"}, fresh)
		assert.Len(w, store.Positions(), 3)
		assert.Empty(w, w.run(with(filestest.Walking{Memory: store})).All())
	})
}

// TestUnfinishedLineWaitsBesideASlowStore: a visit that only saves the checkpoint does not flush the last line early.
func TestUnfinishedLineWaitsBesideASlowStore(t *testing.T) {
	bubble(t, func(w *world) {
		store := filestest.NewMemory()
		store.Wrote = func() { time.Sleep(100 * time.Millisecond) } //nolint:forbidigo // a slow disk, by the bubble's clock
		w.begin(with(store), func(s *tail.Settings) {
			s.PollInterval, s.IdleFlush = 50*time.Millisecond, 10*time.Second
		})
		w.Add("a.jsonl", "{}\n")
		w.Sink.WantLines(w.T, "{}")
		w.Pass(300 * time.Millisecond)
		w.Add("a.jsonl", `{"n":1}`+"\n"+`{"n":2}`)
		w.Pass(5 * time.Second)
		assert.Equal(w, []string{"{}", `{"n":1}`}, w.Sink.All(), "the second line may yet go on")
		w.Pass(time.Minute)
		assert.Equal(w, []string{"{}", `{"n":1}`, `{"n":2}`}, w.Sink.All())
	})
}

// TestManyFilesAreSavedTogether: the checkpoints of many files take few calls of a store that can write many at once, all are
// stored when the source stops, and a store that can't takes a call for each.
func TestManyFilesAreSavedTogether(t *testing.T) {
	const files = 500
	for name, store := range map[string]tail.Store{
		"batching": filestest.Batching{Walking: filestest.Walking{Memory: filestest.NewMemory()}},
		"walking":  filestest.Walking{Memory: filestest.NewMemory()},
		"plain":    filestest.NewMemory(),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(w *world) {
				memory := filestest.MemoryOf(store)
				writes := 0
				memory.Wrote = func() { writes++ }
				for i := range files {
					w.Add(fmt.Sprintf("%d.jsonl", i), filestest.Record(i)+"\n")
				}
				w.begin(with(store))
				w.Sink.Until(w.T, "all lines", func() bool { return len(w.Sink.All()) == files })
				w.end()
				assert.Len(w, memory.Positions(), files)
				if _, ok := store.(tail.Batcher); ok {
					assert.Less(w, writes, files/20)
				} else {
					assert.GreaterOrEqual(w, writes, files)
				}
				fresh, _ := w.run(with(store)).NewLines()
				assert.Empty(w, fresh)
			})
		})
	}
}

// TestStoreRecovers: while the store fails, newer checkpoints replace those that could not be written; then the newest are.
func TestStoreRecovers(t *testing.T) {
	bubble(t, func(w *world) {
		memory := filestest.NewMemory()
		w.start(w.Sink, w.settings(with(filestest.Walking{Memory: memory})))
		memory.Mu.Lock()
		memory.Fail = func(int) error { return filestest.ErrStore }
		memory.Mu.Unlock()
		var want []string
		for n := range 10 {
			lines, text := filestest.Records(3*n, 3*n+3)
			w.Add("a.jsonl", text)
			want = append(want, lines...)
			w.Sink.WantLines(w.T, want...)
		}
		assert.Empty(w, memory.Positions())
		memory.Mu.Lock()
		memory.Fail = nil
		calls := memory.Calls
		memory.Mu.Unlock()
		w.Pass(time.Minute)
		memory.Mu.Lock()
		assert.Equal(w, calls+1, memory.Calls)
		killed := filestest.NewMemory()
		killed.Values = maps.Clone(memory.Values)
		memory.Mu.Unlock()
		w.end()
		assert.Empty(w, w.run(with(filestest.Walking{Memory: killed})).All())
	})
}
