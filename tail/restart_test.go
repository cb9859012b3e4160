package tail_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/tail"
)

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
func (w *world) run(change ...func(*tail.Settings)) *sink {
	w.Helper()
	w.sink = newSink()
	files, err := tail.New(w.settings(change...), w.sink)
	require.NoError(w, err)
	require.NoError(w, files.Start(w.Context()))
	w.files = files
	w.pass(30 * time.Second)
	w.end()
	return w.sink
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
		{name: "truncated and written reset", down: func(w *world) { w.put("a.jsonl", nextText) }, want: next},
		{name: "rewritten, longer", down: func(w *world) { w.put("a.jsonl", strings.Replace(long, `"n":1,`, `"n":9,`, 1)) }, want: slices.Concat(old[:1], []string{strings.Replace(old[1], `"n":1,`, `"n":9,`, 1)}, old[2:], next)},
		{name: "replaced by a longer version", down: func(w *world) { w.put("c.tmp", long); w.rename("c.tmp", "a.jsonl") }, want: next, replayed: 40},
		{name: "deleted, another in its place", down: func(w *world) { w.remove("a.jsonl"); w.add("a.jsonl", nextText) }, want: next},
		{name: "copied and truncated", down: func(w *world) { w.put("a.1.jsonl", oldText); w.put("a.jsonl", nextText) }, want: next, forgets: sorted(append(slices.Clone(old), next...))},
		{name: "copied, renamed and emptied", down: func(w *world) {
			w.put("a.1.jsonl", oldText)
			w.rename("a.jsonl", "b.jsonl")
			w.put("b.jsonl", "")
		}, forgets: old},
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
			stores(t, func(w *world, store tail.Store, walks bool) {
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
	stores(t, func(w *world, store tail.Store, _ bool) {
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
	stores(t, func(w *world, store tail.Store, _ bool) {
		w.add("a.jsonl", "{\"n\":1}\n{\"n\":2}")
		assert.Equal(w, []string{`{"n":1}`, `{"n":2}`}, w.run(with(store)).all())
		w.add("a.jsonl", "\n{\"n\":3}\n")
		fresh, replayed := w.run(with(store)).newLines()
		assert.Equal(w, []string{`{"n":3}`}, fresh)
		assert.Equal(w, 2, replayed)
	})
}

func TestRestartCompressed(t *testing.T) {
	stores(t, func(w *world, store tail.Store, _ bool) {
		lines, text := records(0, 100)
		w.put("a.jsonl.gz", compressed(w.T, text))
		gz := func(s *tail.Settings) { s.Include = []string{w.path("*.gz")} }
		assert.Equal(w, lines, w.run(with(store), gz).all())
		second := w.run(with(store), gz)
		assert.Empty(w, second.opened())
	})
}

// TestRestartBesideABrokenArchive: a known archive that is broken after a restart keeps no file that begins like it from
// being read.
func TestRestartBesideABrokenArchive(t *testing.T) {
	bubble(t, func(w *world) {
		store := walking{newMemory()}
		lines, text := records(0, 100)
		packed := compressed(w.T, text)
		w.put("a.jsonl.gz", packed)
		require.Equal(w, lines, w.run(with(store), gzipped(w)).all())
		w.add("a.jsonl.gz", "what is no archive")
		w.add("fork.jsonl", text+"of the fork\n")
		assert.Contains(w, w.run(with(store), gzipped(w)).all(), "of the fork")
	})
}

// TestRestartAtEnd: with start_at end, what stood in a file at the first start is never read, also after a restart; what
// was written while nobody looked is read, also in files that were made then.
func TestRestartAtEnd(t *testing.T) {
	stores(t, func(w *world, store tail.Store, _ bool) {
		atEnd := func(s *tail.Settings) { s.StartAt = tail.StartAtEnd }
		old, oldText := records(0, 20)
		next, nextText := records(20, 30)
		w.add("a.jsonl", oldText)
		w.add("b.jsonl", strings.ReplaceAll(oldText, `"n"`, `"m"`))
		require.Empty(w, w.run(with(store), atEnd).all(), "of %d lines", len(old))
		w.add("a.jsonl", nextText)
		w.add("c.jsonl", "made while down\n")
		fresh, replayed := w.run(with(store), atEnd).newLines()
		if _, walks := store.(tail.Walker); walks {
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
		f, err := tail.New(w.settings(with(store)), w.sink)
		require.NoError(w, err)
		f.SetOpen(func(path string) (openfile.Handle, error) { opens++; return openfile.Open(path) })
		require.NoError(w, f.Start(w.Context()))
		w.files = f
		w.pass(time.Minute)
		w.end()
		assert.Zero(w, opens)
		assert.Empty(w, w.sink.opened())
	})
}

// TestCrash goes back to what the store and the handler had before and after each write of a first run, as if the process
// had been killed there: nothing is lost, and no more than the batch in flight comes again.
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
		take := func() { shots = append(shots, snapshot{maps.Clone(store.values), len(sink.all())}) }
		store.wrote = take
		store.fail = func(int) error { take(); return nil } // the call is not done yet
		files, err := tail.New(w.settings(with(walking{store}), func(s *tail.Settings) { s.BatchLines = batch }), sink)
		require.NoError(w, err)
		w.add("a.jsonl", text)
		require.NoError(w, files.Start(w.Context()))
		w.pass(time.Minute)
		require.NoError(w, files.Shutdown(w.Context()))
		require.Equal(w, lines, sink.all())
		require.Greater(w, len(shots), 2*len(lines)/batch)
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

// TestRestartIsNotIdle: a file that is opened again at start has all of IdleClose before it counts as idle.
func TestRestartIsNotIdle(t *testing.T) {
	bubble(t, func(w *world) {
		store := walking{newMemory()}
		w.add("a.jsonl", "one\n")
		w.run(with(store))
		w.add("a.jsonl", "two\n")
		w.sink = newSink()
		f, err := tail.New(w.settings(with(store), func(s *tail.Settings) { s.IdleClose = time.Hour }), w.sink)
		require.NoError(w, err)
		require.NoError(w, f.Start(w.Context()))
		w.pass(30 * time.Minute)
		require.Len(w, w.sink.opened(), 1)
		assert.Empty(w, w.sink.opened()[0].closed)
		w.pass(time.Hour)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonIdle}, w.sink.opened()[0].closed)
		require.NoError(w, f.Shutdown(w.Context()))
	})
}

// TestRestartAfterACopytruncate stops right after a file was copied and emptied, with a store that is slow, so the
// position of the last lines was still waiting to be saved. The copy goes on where the file was.
func TestRestartAfterACopytruncate(t *testing.T) {
	bubble(t, func(w *world) {
		store := walking{newMemory()}
		store.wrote = func() { time.Sleep(100 * time.Millisecond) } //nolint:forbidigo // a slow disk, by the bubble's clock
		first, text := records(0, 10)
		next, nextText := records(10, 20)
		last, lastText := records(20, 30)
		poll := func(s *tail.Settings) { s.PollInterval = 50 * time.Millisecond }
		w.add("a.jsonl", text)
		w.begin(with(store), poll)
		w.sink.wantLines(w.T, first...)
		w.pass(300 * time.Millisecond)
		w.add("a.jsonl", nextText)
		w.sink.wantLines(w.T, slices.Concat(first, next)...)
		w.put("b.jsonl", text+nextText)
		w.put("a.jsonl", "")
		w.untilClosed(1)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonRewritten}, w.sink.opened()[0].closed)
		w.end()
		w.add("b.jsonl", lastText)
		got, _ := w.run(with(store)).newLines()
		assert.Equal(w, last, got)
	})
}

// TestRestartReplacedBesideHardLink: while nobody looks, a file loses one of its names, the first or the other one, and a
// longer version of it appears under a third.
func TestRestartReplacedBesideHardLink(t *testing.T) {
	old, oldText := records(0, 40)
	next, nextText := records(40, 60)
	for _, lost := range []string{"a.jsonl", "b.jsonl"} {
		t.Run(lost, func(t *testing.T) {
			bubble(t, func(w *world) {
				store := walking{newMemory()}
				w.add("a.jsonl", oldText)
				require.NoError(w, os.Link(w.path("a.jsonl"), w.path("b.jsonl")))
				first, _ := w.run(with(store)).newLines()
				require.Equal(w, old, first)
				w.remove(lost)
				w.put("c.jsonl", oldText+nextText)
				got, _ := w.run(with(store)).newLines()
				assert.Equal(w, next, got)
				assert.Empty(w, w.run(with(store)).all(), "all was accepted")
			})
		})
	}
}

// TestRestartBeforeTheOtherNameIsRead: a file with two names is replaced under one of them by a longer version, the folder
// of the other name is renamed, and the source stops, all before a worker has come to the other name: its position is kept.
func TestRestartBeforeTheOtherNameIsRead(t *testing.T) {
	bubble(t, func(w *world) {
		store := walking{newMemory()}
		follow := func(s *tail.Settings) {
			pollOnly(s)
			s.Store, s.MaxConcurrentFiles, s.MaxOpenFiles = store, 1, -1
		}
		lines, text := records(0, 20)
		w.mkdir("in")
		w.add("a.jsonl", text)
		require.NoError(w, os.Link(w.path("a.jsonl"), w.path("in/b.jsonl")))
		w.begin(follow)
		w.pass(time.Minute)
		w.sink.mu.Lock()
		w.sink.accept = func(tail.Stream, []tail.Line) error { // the only worker is with the longer version
			return os.Rename(w.path("in"), w.path("moved"))
		}
		w.sink.mu.Unlock()
		w.put("next", text+record(20)+"\n")
		w.rename("next", "a.jsonl")
		w.sink.wantLines(w.T, append(lines, record(20))...)
		w.end()
		assert.Empty(w, w.run(follow).all())
		w.add("moved/b.jsonl", record(21)+"\n")
		assert.Equal(w, []string{record(21)}, w.run(follow).all())
	})
}

// TestRestartWithAnInodeOfAFork: while no process looks, each of two files that begin alike is replaced by a longer version, and
// the first has the inode then that the second had. Both go on.
func TestRestartWithAnInodeOfAFork(t *testing.T) {
	bubble(t, func(w *world) {
		store := walking{newMemory()}
		head := `{"type":"summary","summary":"` + strings.Repeat("p", 1300) + `"}` + "\n"
		_, ofFirst := records(0, 20)
		_, ofSecond := records(100, 110)
		w.add("a.jsonl", head+ofFirst)
		w.add("b.jsonl", head+ofSecond)
		w.run(with(store))
		w.put("b.jsonl", head+ofFirst+record(20)+"\n") // in place: the inode stays
		w.rename("b.jsonl", "a.jsonl")
		w.put("b.jsonl", head+ofSecond+record(110)+"\n")
		fresh, _ := w.run(with(store)).newLines()
		assert.ElementsMatch(w, []string{record(20), record(110)}, fresh)
	})
}
