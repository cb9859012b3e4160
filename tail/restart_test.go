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
	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

// TestRestart stops the source, changes the files, and starts another source: exactly the new lines are delivered.
func TestRestart(t *testing.T) {
	old, oldText := filestest.Records(0, 40)
	next, nextText := filestest.Records(40, 60)
	long := oldText + nextText
	for _, test := range []struct {
		name     string
		first    func(w *world) // default: a.jsonl contains old
		down     func(w *world)
		want     []string
		replayed int
		// forgets: a store that can't list its keys does not find the file, so all of it is read again.
		rereads []string
	}{
		{name: "nothing", down: func(*world) {}},
		{name: "grew", down: func(w *world) { w.Add("a.jsonl", nextText) }, want: next, replayed: 40},
		{name: "renamed", down: func(w *world) { w.Rename("a.jsonl", "b.jsonl") }, rereads: old},
		{name: "renamed and grew", down: func(w *world) { w.Rename("a.jsonl", "b.jsonl"); w.Add("b.jsonl", nextText) }, want: next, replayed: 40, rereads: append(slices.Clone(old), next...)},
		{name: "renamed, another in its place", down: func(w *world) { w.Rename("a.jsonl", "b.jsonl"); w.Add("a.jsonl", nextText) }, want: next, rereads: filestest.Sorted(append(slices.Clone(old), next...))},
		{name: "truncated and written reset", down: func(w *world) { w.Put("a.jsonl", nextText) }, want: next},
		{name: "rewritten, longer", down: func(w *world) { w.Put("a.jsonl", strings.Replace(long, `"n":1,`, `"n":9,`, 1)) }, want: slices.Concat(old[:1], []string{strings.Replace(old[1], `"n":1,`, `"n":9,`, 1)}, old[2:], next)},
		{name: "replaced by a longer version", down: func(w *world) { w.Put("c.tmp", long); w.Rename("c.tmp", "a.jsonl") }, want: next, replayed: 40},
		{name: "deleted, another in its place", down: func(w *world) { w.Remove("a.jsonl"); w.Add("a.jsonl", nextText) }, want: next},
		{name: "copied and truncated", down: func(w *world) { w.Put("a.1.jsonl", oldText); w.Put("a.jsonl", nextText) }, want: next, rereads: filestest.Sorted(append(slices.Clone(old), next...))},
		{name: "copied, renamed and emptied", down: func(w *world) {
			w.Put("a.1.jsonl", oldText)
			w.Rename("a.jsonl", "b.jsonl")
			w.Put("b.jsonl", "")
		}, rereads: old},
		{name: "half a line, then the rest", first: func(w *world) { w.Add("a.jsonl", oldText+nextText[:50]) }, down: func(w *world) { w.Add("a.jsonl", nextText[50:]) }, want: next, replayed: 40},
		{
			name: "twins, both grew", first: func(w *world) { w.Add("a.jsonl", oldText); w.Add("b.jsonl", oldText) },
			down: func(w *world) {
				w.Add("a.jsonl", next[0]+"\n")
				w.Add("b.jsonl", next[1]+"\n")
			}, want: next[:2], replayed: 80,
		},
		{name: "a new twin", down: func(w *world) { w.Add("0.jsonl", long); w.Add("a.jsonl", nextText) }, want: filestest.Sorted(slices.Concat(old, next, next)), replayed: 40},
	} {
		t.Run(test.name, func(t *testing.T) {
			stores(t, func(w *world, store tail.Store, walks bool) {
				if test.first != nil {
					test.first(w)
				} else {
					w.Add("a.jsonl", oldText)
				}
				first := w.run(with(store))
				before := len(first.All())
				test.down(w)
				got, replayed := w.run(with(store)).NewLines()
				want, wantReplayed := test.want, test.replayed
				if !walks && test.rereads != nil {
					want, wantReplayed = test.rereads, 0
				}
				assert.ElementsMatch(w, want, got)
				assert.Equal(w, wantReplayed, replayed)
				again := w.run(with(store)).All()
				assert.Empty(w, again, "all was accepted (%d and %d lines)", before, len(got))
			})
		})
	}
}

// TestRestartKeepsTheStream: ID and offsets are those of the first process.
func TestRestartKeepsTheStream(t *testing.T) {
	stores(t, func(w *world, store tail.Store, _ bool) {
		w.Add("a.jsonl", "{\"n\":1}\n{\"n\":2}\n")
		id := w.run(with(store)).Opened()[0].ID
		w.Add("a.jsonl", "{\"n\":3}\n")
		second := w.run(with(store)).Opened()
		require.Len(w, second, 1)
		assert.Equal(w, id, second[0].ID)
		assert.EqualValues(w, 16, second[0].Offset)
		assert.Equal(w, []int64{0, 8, 16}, []int64{second[0].Received[0].Offset, second[0].Received[1].Offset, second[0].Received[2].Offset})
	})
}

// An unterminated object that was flushed is replayed too, and its newline is not a line after the restart.
func TestRestartAfterUnterminatedLine(t *testing.T) {
	stores(t, func(w *world, store tail.Store, _ bool) {
		w.Add("a.jsonl", "{\"n\":1}\n{\"n\":2}")
		assert.Equal(w, []string{`{"n":1}`, `{"n":2}`}, w.run(with(store)).All())
		w.Add("a.jsonl", "\n{\"n\":3}\n")
		fresh, replayed := w.run(with(store)).NewLines()
		assert.Equal(w, []string{`{"n":3}`}, fresh)
		assert.Equal(w, 2, replayed)
	})
}

func TestRestartCompressed(t *testing.T) {
	stores(t, func(w *world, store tail.Store, _ bool) {
		lines, text := filestest.Records(0, 100)
		w.Put("a.jsonl.gz", filestest.Compressed(w.T, text))
		gz := func(s *tail.Settings) { s.Include = []string{w.Path("*.gz")} }
		assert.Equal(w, lines, w.run(with(store), gz).All())
		second := w.run(with(store), gz)
		assert.Empty(w, second.Opened())
	})
}

// TestRestartBesideABrokenArchive: a known archive that is broken after a restart does not keep a file that begins like it
// from being read.
func TestRestartBesideABrokenArchive(t *testing.T) {
	bubble(t, func(w *world) {
		store := filestest.Walking{Memory: filestest.NewMemory()}
		lines, text := filestest.Records(0, 100)
		packed := filestest.Compressed(w.T, text)
		w.Put("a.jsonl.gz", packed)
		require.Equal(w, lines, w.run(with(store), gzipped(w)).All())
		w.Add("a.jsonl.gz", "what is no archive")
		w.Add("fork.jsonl", text+"of the fork\n")
		assert.Contains(w, w.run(with(store), gzipped(w)).All(), "of the fork")
	})
}

// TestRestartAtEnd: with start_at end, what a file contained at the first start is never read, even after a restart; what was
// written while no process ran is read, including files created then.
func TestRestartAtEnd(t *testing.T) {
	stores(t, func(w *world, store tail.Store, _ bool) {
		atEnd := func(s *tail.Settings) { s.StartAt = tail.StartAtEnd }
		old, oldText := filestest.Records(0, 20)
		next, nextText := filestest.Records(20, 30)
		w.Add("a.jsonl", oldText)
		w.Add("b.jsonl", strings.ReplaceAll(oldText, `"n"`, `"m"`))
		require.Empty(w, w.run(with(store), atEnd).All(), "of %d lines", len(old))
		w.Add("a.jsonl", nextText)
		w.Add("c.jsonl", "made while down\n")
		fresh, replayed := w.run(with(store), atEnd).NewLines()
		if _, walks := store.(tail.Walker); walks {
			assert.ElementsMatch(w, append(next, "made while down"), fresh)
		} else {
			assert.ElementsMatch(w, next, fresh)
		}
		assert.Zero(w, replayed)
		w.Add("a.jsonl", "last\n")
		fresh, replayed = w.run(with(store), atEnd).NewLines()
		assert.Equal(w, []string{"last"}, fresh)
		assert.Equal(w, 10, replayed, "what was handed over, not what was skipped")
	})
}

// TestRestartOpensNothingIdle: files that did not grow are not opened.
func TestRestartOpensNothingIdle(t *testing.T) {
	bubble(t, func(w *world) {
		store := filestest.Walking{Memory: filestest.NewMemory()}
		for i := range 50 {
			w.Add(fmt.Sprintf("%d.jsonl", i), filestest.Record(i)+"\n")
		}
		w.run(with(store))
		opens := 0
		w.Sink = filestest.NewSink()
		f, err := tail.New(w.settings(with(store)), w.Sink)
		require.NoError(w, err)
		f.SetOpen(func(path string) (openfile.Handle, error) { opens++; return openfile.Open(path) })
		require.NoError(w, f.Start(w.Context()))
		w.files = f
		w.Pass(time.Minute)
		w.end()
		assert.Zero(w, opens)
		assert.Empty(w, w.Sink.Opened())
	})
}

// TestCrash restores what the store and the handler had before and after each write of a first run, as if the process had been
// killed there: nothing is lost, and no more than the batch in flight is repeated.
func TestCrash(t *testing.T) {
	const batch = 7
	lines, text := filestest.Records(0, 60)
	type snapshot struct {
		values   map[string][]byte
		accepted int
	}
	var shots []snapshot
	bubble(t, func(w *world) {
		store := filestest.NewMemory()
		sink := slowSink()
		w.Sink = sink
		take := func() { shots = append(shots, snapshot{maps.Clone(store.Values), len(sink.All())}) }
		store.Wrote = take
		store.Fail = func(int) error { take(); return nil } // the call has not returned yet
		files, err := tail.New(w.settings(with(filestest.Walking{Memory: store}), func(s *tail.Settings) { s.BatchLines = batch }), sink)
		require.NoError(w, err)
		w.Add("a.jsonl", text)
		require.NoError(w, files.Start(w.Context()))
		w.Pass(time.Minute)
		require.NoError(w, files.Shutdown(w.Context()))
		require.Equal(w, lines, sink.All())
		require.Greater(w, len(shots), 2*len(lines)/batch)
		for i, shot := range shots {
			store := filestest.NewMemory()
			store.Values = shot.values
			fresh, _ := w.run(with(filestest.Walking{Memory: store})).NewLines()
			require.LessOrEqual(w, len(lines)-len(fresh), shot.accepted, "write %d: a line is lost", i)
			require.GreaterOrEqual(w, len(lines)-len(fresh), shot.accepted-batch, "write %d: lines come again", i)
			require.Equal(w, lines[len(lines)-len(fresh):], append([]string{}, fresh...))
		}
	})
}

// TestRestartIsNotIdle: a file that is opened again at start has all of IdleClose before it counts as idle.
func TestRestartIsNotIdle(t *testing.T) {
	bubble(t, func(w *world) {
		store := filestest.Walking{Memory: filestest.NewMemory()}
		w.Add("a.jsonl", "one\n")
		w.run(with(store))
		w.Add("a.jsonl", "two\n")
		w.Sink = filestest.NewSink()
		f, err := tail.New(w.settings(with(store), func(s *tail.Settings) { s.IdleClose = time.Hour }), w.Sink)
		require.NoError(w, err)
		require.NoError(w, f.Start(w.Context()))
		w.Pass(30 * time.Minute)
		require.Len(w, w.Sink.Opened(), 1)
		assert.Empty(w, w.Sink.Opened()[0].Closed)
		w.Pass(time.Hour)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonIdle}, w.Sink.Opened()[0].Closed)
		require.NoError(w, f.Shutdown(w.Context()))
	})
}

// TestRestartAfterACopytruncate stops right after a file was copied and emptied. The store is slow, so the position of the
// last lines was not saved yet. The copy continues where the file was.
func TestRestartAfterACopytruncate(t *testing.T) {
	bubble(t, func(w *world) {
		store := filestest.Walking{Memory: filestest.NewMemory()}
		store.Wrote = func() { time.Sleep(100 * time.Millisecond) } //nolint:forbidigo // a slow disk, by the bubble's clock
		first, text := filestest.Records(0, 10)
		next, nextText := filestest.Records(10, 20)
		last, lastText := filestest.Records(20, 30)
		poll := func(s *tail.Settings) { s.PollInterval = 50 * time.Millisecond }
		w.Add("a.jsonl", text)
		w.begin(with(store), poll)
		w.Sink.WantLines(w.T, first...)
		w.Pass(300 * time.Millisecond)
		w.Add("a.jsonl", nextText)
		w.Sink.WantLines(w.T, slices.Concat(first, next)...)
		w.Put("b.jsonl", text+nextText)
		w.Put("a.jsonl", "")
		w.UntilClosed(1)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonRewritten}, w.Sink.Opened()[0].Closed)
		w.end()
		w.Add("b.jsonl", lastText)
		got, _ := w.run(with(store)).NewLines()
		assert.Equal(w, last, got)
	})
}

// TestRestartReplacedBesideHardLink: while no process runs, a file loses one of its names, the first or the other one, and a
// longer version of it appears under a third.
func TestRestartReplacedBesideHardLink(t *testing.T) {
	old, oldText := filestest.Records(0, 40)
	next, nextText := filestest.Records(40, 60)
	for _, lost := range []string{"a.jsonl", "b.jsonl"} {
		t.Run(lost, func(t *testing.T) {
			bubble(t, func(w *world) {
				store := filestest.Walking{Memory: filestest.NewMemory()}
				w.Add("a.jsonl", oldText)
				require.NoError(w, os.Link(w.Path("a.jsonl"), w.Path("b.jsonl")))
				first, _ := w.run(with(store)).NewLines()
				require.Equal(w, old, first)
				w.Remove(lost)
				w.Put("c.jsonl", oldText+nextText)
				got, _ := w.run(with(store)).NewLines()
				assert.Equal(w, next, got)
				assert.Empty(w, w.run(with(store)).All(), "all was accepted")
			})
		})
	}
}

// TestRestartBeforeTheOtherNameIsRead: a file with two names is replaced under one of them by a longer version, the folder of
// the other name is renamed, and the source stops, all before a worker visits the other name: its position is kept.
func TestRestartBeforeTheOtherNameIsRead(t *testing.T) {
	bubble(t, func(w *world) {
		store := filestest.Walking{Memory: filestest.NewMemory()}
		follow := func(s *tail.Settings) {
			pollOnly(s)
			s.Store, s.MaxConcurrentFiles, s.MaxOpenFiles = store, 1, -1
		}
		lines, text := filestest.Records(0, 20)
		w.Mkdir("in")
		w.Add("a.jsonl", text)
		require.NoError(w, os.Link(w.Path("a.jsonl"), w.Path("in/b.jsonl")))
		w.begin(follow)
		w.Pass(time.Minute)
		w.Sink.Mu.Lock()
		w.Sink.Accept = func(tail.Stream, []tail.Line) error { // the only worker is busy with the longer version
			return os.Rename(w.Path("in"), w.Path("moved"))
		}
		w.Sink.Mu.Unlock()
		w.Put("next", text+filestest.Record(20)+"\n")
		w.Rename("next", "a.jsonl")
		w.Sink.WantLines(w.T, append(lines, filestest.Record(20))...)
		w.end()
		assert.Empty(w, w.run(follow).All())
		w.Add("moved/b.jsonl", filestest.Record(21)+"\n")
		assert.Equal(w, []string{filestest.Record(21)}, w.run(follow).All())
	})
}

// TestRestartWithAnInodeOfAFork: while no process runs, each of two files that begin alike is replaced by a longer version,
// and the first gets the inode that the second had. Both continue.
func TestRestartWithAnInodeOfAFork(t *testing.T) {
	bubble(t, func(w *world) {
		store := filestest.Walking{Memory: filestest.NewMemory()}
		head := `{"type":"summary","summary":"` + strings.Repeat("p", 1300) + `"}` + "\n"
		_, ofFirst := filestest.Records(0, 20)
		_, ofSecond := filestest.Records(100, 110)
		w.Add("a.jsonl", head+ofFirst)
		w.Add("b.jsonl", head+ofSecond)
		w.run(with(store))
		w.Put("b.jsonl", head+ofFirst+filestest.Record(20)+"\n") // in place: the inode stays
		w.Rename("b.jsonl", "a.jsonl")
		w.Put("b.jsonl", head+ofSecond+filestest.Record(110)+"\n")
		fresh, _ := w.run(with(store)).NewLines()
		assert.ElementsMatch(w, []string{filestest.Record(20), filestest.Record(110)}, fresh)
	})
}
