package source

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

// newLines gives the lines of all streams that were not replayed, and how many were.
func (s *sink) newLines() (fresh []string, replayed int) {
	for _, one := range s.opened() {
		for i, l := range one.lines {
			if l.Replayed {
				replayed++
			} else {
				fresh = append(fresh, one.text[i])
			}
		}
	}
	return fresh, replayed
}

// run follows the folder with a new source and sink until all is quiet, and stops.
func (w *world) run(change ...func(*Settings)) *sink {
	w.Helper()
	w.sink = newSink()
	files, err := New(w.settings(change...), w.sink)
	require.NoError(w, err)
	require.NoError(w, files.Start(w.Context()))
	w.files = files
	w.pass(30 * time.Second)
	w.end()
	return w.sink
}

// stores runs a test with a store that tells all that it holds and with one that does not.
func stores(t *testing.T, test func(w *world, store Store, walks bool)) {
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

func with(store Store) func(*Settings) {
	return func(s *Settings) { s.PollOnly, s.Store, s.Replay = true, store, true }
}

// TestRestart stops the source, does something to the files, and starts another: what is new comes, and nothing else.
func TestRestart(t *testing.T) {
	old, oldText := records(0, 40)
	next, nextText := records(40, 60)
	long := oldText + nextText
	for _, test := range []struct {
		name     string
		first    func(w *world) // default: a.jsonl holds old
		down     func(w *world)
		want     []string
		replayed int
		// forgets: a store that can't walk does not find the file, so all of it comes again.
		forgets []string
	}{
		{name: "nothing", down: func(*world) {}},
		{name: "grew", down: func(w *world) { w.add("a.jsonl", nextText) }, want: next, replayed: 40},
		{name: "renamed", down: func(w *world) { w.rename("a.jsonl", "b.jsonl") }, forgets: old},
		{name: "renamed and grew", down: func(w *world) { w.rename("a.jsonl", "b.jsonl"); w.add("b.jsonl", nextText) }, want: next, replayed: 40, forgets: append(slices.Clone(old), next...)},
		{name: "renamed, another in its place", down: func(w *world) { w.rename("a.jsonl", "b.jsonl"); w.add("a.jsonl", nextText) }, want: next, forgets: sorted(append(slices.Clone(old), next...))},
		{name: "truncated and written anew", down: func(w *world) { w.put("a.jsonl", nextText) }, want: next},
		{name: "rewritten, longer", down: func(w *world) { w.put("a.jsonl", strings.Replace(long, `"n":1,`, `"n":9,`, 1)) }, want: slices.Concat(old[:1], []string{strings.Replace(old[1], `"n":1,`, `"n":9,`, 1)}, old[2:], next)},
		{name: "replaced by a longer version", down: func(w *world) { w.put("c.tmp", long); w.rename("c.tmp", "a.jsonl") }, want: next, replayed: 40},
		{name: "deleted, another in its place", down: func(w *world) { w.remove("a.jsonl"); w.add("a.jsonl", nextText) }, want: next},
		{name: "copied and truncated", down: func(w *world) { w.put("a.1.jsonl", oldText); w.put("a.jsonl", nextText) }, want: next, forgets: sorted(append(slices.Clone(old), next...))},
		{name: "half a line, then the rest", first: func(w *world) { w.add("a.jsonl", oldText+nextText[:50]) }, down: func(w *world) { w.add("a.jsonl", nextText[50:]) }, want: next, replayed: 40},
		{
			name: "twins, both grew", first: func(w *world) { w.add("a.jsonl", oldText); w.add("b.jsonl", oldText) },
			down: func(w *world) {
				w.add("a.jsonl", next[0]+"\n")
				w.add("b.jsonl", next[1]+"\n")
			}, want: next[:2], replayed: 80,
		},
		{name: "a new twin", down: func(w *world) { w.add("0.jsonl", long); w.add("a.jsonl", nextText) }, want: sorted(slices.Concat(old, next, next)), replayed: 40},
	} {
		t.Run(test.name, func(t *testing.T) {
			stores(t, func(w *world, store Store, walks bool) {
				if test.first != nil {
					test.first(w)
				} else {
					w.add("a.jsonl", oldText)
				}
				first := w.run(with(store))
				before := len(first.all())
				test.down(w)
				got, replayed := w.run(with(store)).newLines()
				want, wantReplayed := test.want, test.replayed
				if !walks && test.forgets != nil {
					want, wantReplayed = test.forgets, 0
				}
				assert.ElementsMatch(w, want, got)
				assert.Equal(w, wantReplayed, replayed)
				again := w.run(with(store)).all()
				assert.Empty(w, again, "all was accepted (%d and %d lines)", before, len(got))
			})
		})
	}
}

// TestRestartKeepsTheStream: id and offsets are those of the first process.
func TestRestartKeepsTheStream(t *testing.T) {
	stores(t, func(w *world, store Store, _ bool) {
		w.add("a.jsonl", "{\"n\":1}\n{\"n\":2}\n")
		id := w.run(with(store)).opened()[0].ID
		w.add("a.jsonl", "{\"n\":3}\n")
		second := w.run(with(store)).opened()
		require.Len(w, second, 1)
		assert.Equal(w, id, second[0].ID)
		assert.EqualValues(w, 16, second[0].Offset)
		assert.Equal(w, []int64{0, 8, 16}, []int64{second[0].lines[0].Offset, second[0].lines[1].Offset, second[0].lines[2].Offset})
	})
}

// An unterminated object that was taken is replayed too, and its newline is no line after the restart.
func TestRestartAfterUnterminatedLine(t *testing.T) {
	stores(t, func(w *world, store Store, _ bool) {
		w.add("a.jsonl", "{\"n\":1}\n{\"n\":2}")
		assert.Equal(w, []string{`{"n":1}`, `{"n":2}`}, w.run(with(store)).all())
		w.add("a.jsonl", "\n{\"n\":3}\n")
		fresh, replayed := w.run(with(store)).newLines()
		assert.Equal(w, []string{`{"n":3}`}, fresh)
		assert.Equal(w, 2, replayed)
	})
}

func TestRestartCompressed(t *testing.T) {
	stores(t, func(w *world, store Store, _ bool) {
		lines, text := records(0, 100)
		w.put("a.jsonl.gz", compressed(w.T, text))
		gz := func(s *Settings) { s.Include = []string{w.path("*.gz")} }
		assert.Equal(w, lines, w.run(with(store), gz).all())
		second := w.run(with(store), gz)
		assert.Empty(w, second.opened())
	})
}

// TestRestartAtEnd: with start_at end, what stood in a file at the first start is never read, also after a restart; what
// was written while nobody looked is read, also in files that were made then.
func TestRestartAtEnd(t *testing.T) {
	stores(t, func(w *world, store Store, _ bool) {
		atEnd := func(s *Settings) { s.StartAt = StartAtEnd }
		old, oldText := records(0, 20)
		next, nextText := records(20, 30)
		w.add("a.jsonl", oldText)
		w.add("b.jsonl", strings.ReplaceAll(oldText, `"n"`, `"m"`))
		require.Empty(w, w.run(with(store), atEnd).all(), "of %d lines", len(old))
		w.add("a.jsonl", nextText)
		w.add("c.jsonl", "made while down\n")
		fresh, replayed := w.run(with(store), atEnd).newLines()
		if _, walks := store.(Walker); walks {
			assert.ElementsMatch(w, append(next, "made while down"), fresh)
		} else {
			assert.ElementsMatch(w, next, fresh)
		}
		assert.Zero(w, replayed)
		w.add("a.jsonl", "last\n")
		fresh, replayed = w.run(with(store), atEnd).newLines()
		assert.Equal(w, []string{"last"}, fresh)
		assert.Equal(w, 10, replayed, "what was handed over, not what was skipped")
	})
}

// TestRestartOpensNothingIdle: files that did not grow are not opened.
func TestRestartOpensNothingIdle(t *testing.T) {
	bubble(t, func(w *world) {
		store := walking{newMemory()}
		for i := range 50 {
			w.add(fmt.Sprintf("%d.jsonl", i), record(i)+"\n")
		}
		w.run(with(store))
		opens := 0
		w.sink = newSink()
		f, err := New(w.settings(with(store)), w.sink)
		require.NoError(w, err)
		f.open = func(path string) (handle, error) { opens++; return openFile(path) }
		require.NoError(w, f.Start(w.Context()))
		w.files = f
		w.pass(time.Minute)
		w.end()
		assert.Zero(w, opens)
		assert.Empty(w, w.sink.opened())
	})
}

// TestCrash goes back to what the store and the handler had after each write of a first run, as if the process had been
// killed there: nothing is lost, and no more than the batch in flight comes again.
func TestCrash(t *testing.T) {
	const batch = 7
	lines, text := records(0, 60)
	type snapshot struct {
		values   map[string][]byte
		accepted int
	}
	var shots []snapshot
	bubble(t, func(w *world) {
		store := newMemory()
		sink := newSink()
		w.sink = sink
		store.wrote = func() { shots = append(shots, snapshot{maps.Clone(store.values), len(sink.all())}) }
		files, err := New(w.settings(with(walking{store}), func(s *Settings) { s.BatchLines = batch }), sink)
		require.NoError(w, err)
		w.add("a.jsonl", text)
		require.NoError(w, files.Start(w.Context()))
		w.pass(time.Minute)
		require.NoError(w, files.Shutdown(w.Context()))
		require.Equal(w, lines, sink.all())
		require.Greater(w, len(shots), len(lines)/batch)
		for i, shot := range shots {
			store := newMemory()
			store.values = shot.values
			fresh, _ := w.run(with(walking{store})).newLines()
			require.LessOrEqual(w, len(lines)-len(fresh), shot.accepted, "write %d: a line is lost", i)
			require.GreaterOrEqual(w, len(lines)-len(fresh), shot.accepted-batch, "write %d: lines come again", i)
			require.Equal(w, lines[len(lines)-len(fresh):], append([]string{}, fresh...))
		}
	})
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
						if call == n+2 || forGood && call > n+2 { // the first is Walk's
							return errStore
						}
						return nil
					}
					unsaved := 0
					w.add("a.jsonl", text)
					w.sink = newSink()
					f, err := New(w.settings(with(walking{store}), func(s *Settings) {
						s.BatchLines = 3
						s.Observer.Unsaved = func(string, error) { unsaved++ }
					}), w.sink)
					require.NoError(w, err)
					require.NoError(w, f.Start(w.Context()))
					w.pass(time.Minute)
					assert.Equal(w, lines, w.sink.all())
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
		f, err := New(w.settings(with(walking{store})), newSink())
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
		"newer":          {func(v []byte) []byte { return []byte(strings.Replace(string(v), " 1 ", " 2 ", 1)) }, ErrNewer},
		"torn":           {func(v []byte) []byte { return v[:len(v)/2] }, ErrBroken},
		"a bit flipped":  {func(v []byte) []byte { v = slices.Clone(v); v[len(v)-10] ^= 1; return v }, ErrBroken},
		"empty":          {func([]byte) []byte { return []byte{} }, ErrBroken},
		"something else": {func([]byte) []byte { return []byte(`{"offset":12}`) }, ErrBroken},
	} {
		t.Run(name, func(t *testing.T) {
			stores(t, func(w *world, store Store, walks bool) {
				w.add("a.jsonl", text)
				w.run(with(store))
				values := memoryOf(store).values
				require.Len(w, values, 1)
				for key, v := range values {
					values[key] = test.change(v)
				}
				var told []error
				got := w.run(with(store), func(s *Settings) {
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

func memoryOf(s Store) *memory {
	if w, ok := s.(walking); ok {
		return w.memory
	}
	return s.(*memory)
}

// TestKeepGone: what the store has of files that are gone for long is deleted at start, and nothing else.
func TestKeepGone(t *testing.T) {
	bubble(t, func(w *world) {
		store := newMemory()
		for _, name := range []string{"gone", "idle", "grown", "moved"} {
			w.add(name+".jsonl", record(len(name))+name+"\n")
		}
		w.run(with(walking{store}))
		require.Len(w, store.values, 4)
		w.remove("gone.jsonl")
		assert.Empty(w, w.run(with(walking{store})).all())
		assert.Len(w, store.values, 4, "not yet")
		time.Sleep(8 * 24 * time.Hour) // of the bubble's clock
		w.rename("moved.jsonl", "elsewhere.jsonl")
		w.add("grown.jsonl", "more\n")
		fresh, _ := w.run(with(walking{store})).newLines()
		assert.Equal(w, []string{"more"}, fresh)
		assert.Len(w, store.values, 3)
		assert.Empty(w, w.run(with(walking{store})).all())
	})
}

// knowing is a handler whose consumers count their lines and say so.
type knowing struct {
	*sink
	open    bool // what they say of themselves
	given   [][]byte
	changed func()
}

type knowingStream struct {
	Consumer
	*knowing
	n int
}

func (k *knowing) Open(ctx context.Context, s Stream) (Consumer, error) {
	k.given, k.changed = append(k.given, s.State), s.Changed
	c, err := k.sink.Open(ctx, s)
	return &knowingStream{c, k, 0}, err
}

func (k *knowingStream) Lines(ctx context.Context, lines []Line) error {
	k.n += len(lines)
	return k.Consumer.Lines(ctx, lines)
}

func (k *knowingStream) State() ([]byte, bool) { return fmt.Append(nil, k.n), k.open }

func TestConsumerState(t *testing.T) {
	bubble(t, func(w *world) {
		store := walking{newMemory()}
		_, text := records(0, 10)
		w.add("a.jsonl", text)
		run := func(open bool, during func(*knowing)) *knowing {
			k := &knowing{sink: newSink(), open: open}
			f, err := New(w.settings(with(store)), k)
			require.NoError(w, err)
			require.NoError(w, f.Start(w.Context()))
			w.pass(time.Minute)
			if during != nil {
				during(k)
			}
			require.NoError(w, f.Shutdown(w.Context()))
			return k
		}
		k := run(true, nil)
		assert.Equal(w, [][]byte{nil}, k.given)
		// It is open: all is given again although nothing is new, and then it is idle.
		k = run(true, nil)
		assert.Equal(w, [][]byte{[]byte("10")}, k.given)
		fresh, replayed := k.newLines()
		assert.Empty(w, fresh)
		assert.Equal(w, 10, replayed)
		assert.Equal(w, 1, k.opened()[0].idle)
		// It says by itself that it owes nothing any more, and the process is killed.
		var before map[string][]byte
		k = run(true, func(k *knowing) {
			k.open = false
			k.changed()
			w.pass(5 * time.Second)
			before = maps.Clone(store.values)
			k.open = true
		})
		store.values = before
		k = run(true, nil)
		assert.Empty(w, k.given, "it is not opened")
	})
}

// TestReplayRefused: a consumer that refuses while it is given the old lines gets each once.
func TestReplayRefused(t *testing.T) {
	bubble(t, func(w *world) {
		store := walking{newMemory()}
		old, text := records(0, 30)
		w.add("a.jsonl", text)
		w.run(with(store))
		w.add("a.jsonl", "new\n")
		w.sink = newSink()
		calls := 0
		w.sink.accept = func(Stream, []Line) error {
			if calls++; calls%3 != 0 {
				return errRefused
			}
			return nil
		}
		f, err := New(w.settings(with(store), func(s *Settings) { s.BatchLines = 4 }), w.sink)
		require.NoError(w, err)
		require.NoError(w, f.Start(w.Context()))
		w.pass(5 * time.Minute)
		require.NoError(w, f.Shutdown(w.Context()))
		assert.Equal(w, append(old, "new"), w.sink.all())
		assert.Len(w, w.sink.opened(), 1)
	})
}

// TestReopenReplays: without a store too, a consumer that was closed since nothing came is given all again.
func TestReopenReplays(t *testing.T) {
	bubble(t, func(w *world) {
		w.add("a.jsonl", "one\ntwo\n")
		w.begin(pollOnly, func(s *Settings) { s.Replay, s.IdleClose = true, time.Minute })
		w.pass(2 * time.Minute)
		w.add("a.jsonl", "three\n")
		w.pass(10 * time.Second)
		s := w.streams()
		require.Len(w, s, 2)
		assert.Equal(w, []string{"one", "two", "three"}, s[1].text)
		assert.True(w, s[1].lines[1].Replayed)
		assert.False(w, s[1].lines[2].Replayed)
	})
}

// TestRestartIsNotIdle: a file that is opened again at start has all of IdleClose before it counts as idle.
func TestRestartIsNotIdle(t *testing.T) {
	bubble(t, func(w *world) {
		store := walking{newMemory()}
		w.add("a.jsonl", "one\n")
		w.run(with(store))
		w.add("a.jsonl", "two\n")
		w.sink = newSink()
		f, err := New(w.settings(with(store), func(s *Settings) { s.IdleClose = time.Hour }), w.sink)
		require.NoError(w, err)
		require.NoError(w, f.Start(w.Context()))
		w.pass(30 * time.Minute)
		require.Len(w, w.sink.opened(), 1)
		assert.Empty(w, w.sink.opened()[0].closed)
		w.pass(time.Hour)
		assert.Equal(w, []CloseReason{CloseReasonIdle}, w.sink.opened()[0].closed)
		require.NoError(w, f.Shutdown(w.Context()))
	})
}
