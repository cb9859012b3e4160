package tail_test

import (
	"fmt"
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
					w.Sink = filestest.NewSink()
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
