package tail_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/tail"
)

// long is an age that all files of these tests have: rsync -a and tar give files their old times.
const long = 30 * 24 * time.Hour

func (w *world) old(name, text string) {
	w.Helper()
	w.put(name, text)
	w.dated(name, long)
}

// TestArrivedWhileDown: with start_at end and a store, a file that was not there at the last start is read, whatever its time;
// one that was is not.
func TestArrivedWhileDown(t *testing.T) {
	for _, tt := range []struct {
		name   string
		first  func(w *world) // before the first start
		down   func(w *world) // while no process looks
		change func(*tail.Settings)
		want   []string
	}{
		{name: "copied in", first: func(w *world) { w.old("a.jsonl", "one\n") },
			down: func(w *world) { w.old("b.jsonl", "two\n") }, want: []string{"two"}},
		{name: "nothing was there", first: func(*world) {},
			down: func(w *world) { w.old("b.jsonl", "two\n") }, want: []string{"two"}},
		{name: "a folder was moved in", first: func(w *world) { w.mkdir("../elsewhere"); w.old("../elsewhere/b.jsonl", "two\n") },
			down: func(w *world) { w.rename("../elsewhere", "below") }, want: []string{"two"}},
		{name: "nothing came", first: func(w *world) { w.old("a.jsonl", "one\n") }, down: func(*world) {}},
		{name: "grew", first: func(w *world) { w.old("a.jsonl", "one\n") },
			down: func(w *world) { w.add("a.jsonl", "two\n"); w.dated("a.jsonl", long) }, want: []string{"two"}},
		{name: "was empty", first: func(w *world) { w.old("a.jsonl", "") },
			down: func(w *world) { w.old("a.jsonl", "one\n") }, want: []string{"one"}},
		{name: "a file that was skipped has another name", first: func(w *world) { w.old("a.jsonl", "one\n") },
			down: func(w *world) { w.rename("a.jsonl", "b.jsonl") }},
		{name: "a file that was skipped has a second name", first: func(w *world) { w.old("a.jsonl", "one\n") },
			down: func(w *world) { require.NoError(w, os.Link(w.path("a.jsonl"), w.path("b.jsonl"))) }},
		{name: "compressed", first: func(w *world) { w.old("a.jsonl.gz", compressed(w.T, "one\n")) },
			down: func(w *world) { w.old("b.jsonl.gz", compressed(w.T, "two\n")) }, want: []string{"two"},
			change: func(s *tail.Settings) { s.Include = []string{strings.Replace(s.Include[0], ".jsonl", ".jsonl.gz", 1)} }},
		{name: "ignored for its age, and changed", first: func(w *world) { w.old("a.jsonl", "one\n") },
			down:   func(w *world) { w.add("a.jsonl", "two\n") },
			change: func(s *tail.Settings) { s.ExcludeOlderThan = time.Hour }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				store := walking{newMemory()}
				w.dir = w.path("in")
				require.NoError(w, os.Mkdir(w.dir, 0o700))
				change := []func(*tail.Settings){with(store), startAtEnd}
				if tt.change != nil {
					change = append(change, tt.change)
				}
				tt.first(w)
				require.Empty(w, w.run(change...).all())
				require.Empty(w, w.run(change...).all())
				tt.down(w)
				assert.Equal(w, tt.want, w.run(change...).all())
				assert.Empty(w, w.run(change...).all(), "it has a position")
			})
		})
	}
}

// TestInventoryOfOtherPatterns: of what a new pattern matches nothing was looked for before, so its files go by their times.
func TestInventoryOfOtherPatterns(t *testing.T) {
	bubble(t, func(w *world) {
		store := walking{newMemory()}
		w.mkdir("a")
		w.mkdir("b")
		w.old("a/1.jsonl", "one\n")
		w.old("b/1.jsonl", "of another pattern\n")
		only := func(folders ...string) func(*tail.Settings) {
			return func(s *tail.Settings) {
				s.Include = nil
				for _, folder := range folders {
					s.Include = append(s.Include, w.path(folder+"/*.jsonl"))
				}
			}
		}
		require.Empty(w, w.run(with(store), startAtEnd, only("a")).all())
		w.old("a/2.jsonl", "two\n")
		assert.Equal(w, []string{"two"}, w.run(with(store), startAtEnd, only("a", "b")).all())
		w.old("b/2.jsonl", "three\n")
		assert.Equal(w, []string{"three"}, w.run(with(store), startAtEnd, only("a", "b")).all())
	})
}

// TestInventoryAfterAKill: files that were there at the first start and were not yet looked at when the process was killed are
// no new files.
func TestInventoryAfterAKill(t *testing.T) {
	bubble(t, func(w *world) {
		store := newMemory()
		for i := range 50 {
			w.old(fmt.Sprintf("%d.jsonl", i), record(i)+"\n")
		}
		inventories := 0
		store.fail = func(int) error { // nothing else is written
			if inventories++; inventories > 3 {
				return errStore
			}
			return nil
		}
		f, err := tail.New(w.settings(with(walking{store}), startAtEnd), w.sink)
		require.NoError(w, err)
		require.NoError(w, f.Start(w.Context()))
		w.pass(time.Second)
		require.ErrorIs(w, f.Shutdown(w.Context()), errStore)
		require.Empty(w, store.positions())
		store.fail = nil
		w.old("new.jsonl", "new\n")
		assert.Equal(w, []string{"new"}, w.run(with(walking{store}), startAtEnd).all())
	})
}

// TestInventoryNotUnderstood: one that can't be read is reported, and files go by their times.
func TestInventoryNotUnderstood(t *testing.T) {
	for name, value := range map[string][]byte{
		"broken": []byte("hello"), "odd": checkpoint.Seal([]byte(`{"left":"AA=="}`)), "a bad pattern": checkpoint.Seal([]byte(`{"sets":[{"include":["/[a"]}]}`)),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(w *world) {
				store := newMemory()
				store.values["seen/files"] = value
				w.old("a.jsonl", "one\n")
				var keys []string
				got := w.run(with(walking{store}), startAtEnd, func(s *tail.Settings) {
					s.Observer.Unusable = func(key string, err error) {
						keys = append(keys, key)
						assert.ErrorIs(w, err, tail.ErrBroken)
					}
				})
				assert.Empty(w, got.all())
				assert.Equal(w, []string{"seen/files"}, keys)
				w.old("b.jsonl", "two\n")
				assert.Equal(w, []string{"two"}, w.run(with(walking{store}), startAtEnd).all(), "it was written reset")
			})
		})
	}
}
