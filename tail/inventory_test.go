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
	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

// TestArrivedWhileDown: with start_at end and a store, a file that did not exist at the last start is read, whatever its time;
// one that did is not.
func TestArrivedWhileDown(t *testing.T) {
	for _, tt := range []struct {
		name   string
		first  func(w *world) // before the first start
		down   func(w *world) // while no process runs
		change func(*tail.Settings)
		want   []string
	}{
		{name: "copied in", first: func(w *world) { w.Old("a.jsonl", "one\n") },
			down: func(w *world) { w.Old("b.jsonl", "two\n") }, want: []string{"two"}},
		{name: "nothing was there", first: func(*world) {},
			down: func(w *world) { w.Old("b.jsonl", "two\n") }, want: []string{"two"}},
		{name: "a folder was moved in", first: func(w *world) { w.Mkdir("../elsewhere"); w.Old("../elsewhere/b.jsonl", "two\n") },
			down: func(w *world) { w.Rename("../elsewhere", "below") }, want: []string{"two"}},
		{name: "nothing came", first: func(w *world) { w.Old("a.jsonl", "one\n") }, down: func(*world) {}},
		{name: "grew", first: func(w *world) { w.Old("a.jsonl", "one\n") },
			down: func(w *world) { w.Add("a.jsonl", "two\n"); w.Dated("a.jsonl", filestest.Long) }, want: []string{"two"}},
		{name: "was empty", first: func(w *world) { w.Old("a.jsonl", "") },
			down: func(w *world) { w.Old("a.jsonl", "one\n") }, want: []string{"one"}},
		{name: "a file that was skipped has another name", first: func(w *world) { w.Old("a.jsonl", "one\n") },
			down: func(w *world) { w.Rename("a.jsonl", "b.jsonl") }},
		{name: "a file that was skipped has a second name", first: func(w *world) { w.Old("a.jsonl", "one\n") },
			down: func(w *world) { require.NoError(w, os.Link(w.Path("a.jsonl"), w.Path("b.jsonl"))) }},
		{name: "compressed", first: func(w *world) { w.Old("a.jsonl.gz", filestest.Compressed(w.T, "one\n")) },
			down: func(w *world) { w.Old("b.jsonl.gz", filestest.Compressed(w.T, "two\n")) }, want: []string{"two"},
			change: func(s *tail.Settings) { s.Include = []string{strings.Replace(s.Include[0], ".jsonl", ".jsonl.gz", 1)} }},
		{name: "ignored for its age, and changed", first: func(w *world) { w.Old("a.jsonl", "one\n") },
			down:   func(w *world) { w.Add("a.jsonl", "two\n") },
			change: func(s *tail.Settings) { s.ExcludeOlderThan = time.Hour }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				store := filestest.Walking{Memory: filestest.NewMemory()}
				w.Dir = w.Path("in")
				require.NoError(w, os.Mkdir(w.Dir, 0o700))
				change := []func(*tail.Settings){with(store), startAtEnd}
				if tt.change != nil {
					change = append(change, tt.change)
				}
				tt.first(w)
				require.Empty(w, w.run(change...).All())
				require.Empty(w, w.run(change...).All())
				tt.down(w)
				assert.Equal(w, tt.want, w.run(change...).All())
				assert.Empty(w, w.run(change...).All(), "it has a position")
			})
		})
	}
}

// TestInventoryOfOtherPatterns: the inventory has nothing for a new pattern, so its files are judged by their times.
func TestInventoryOfOtherPatterns(t *testing.T) {
	bubble(t, func(w *world) {
		store := filestest.Walking{Memory: filestest.NewMemory()}
		w.Mkdir("a")
		w.Mkdir("b")
		w.Old("a/1.jsonl", "one\n")
		w.Old("b/1.jsonl", "of another pattern\n")
		only := func(folders ...string) func(*tail.Settings) {
			return func(s *tail.Settings) {
				s.Include = nil
				for _, folder := range folders {
					s.Include = append(s.Include, w.Path(folder+"/*.jsonl"))
				}
			}
		}
		require.Empty(w, w.run(with(store), startAtEnd, only("a")).All())
		w.Old("a/2.jsonl", "two\n")
		assert.Equal(w, []string{"two"}, w.run(with(store), startAtEnd, only("a", "b")).All())
		w.Old("b/2.jsonl", "three\n")
		assert.Equal(w, []string{"three"}, w.run(with(store), startAtEnd, only("a", "b")).All())
	})
}

// TestInventoryAfterAKill: files that existed at the first start and were not visited before the process was killed are not
// new.
func TestInventoryAfterAKill(t *testing.T) {
	bubble(t, func(w *world) {
		store := filestest.NewMemory()
		for i := range 50 {
			w.Old(fmt.Sprintf("%d.jsonl", i), filestest.Record(i)+"\n")
		}
		inventories := 0
		store.Fail = func(int) error { // nothing else is written
			if inventories++; inventories > 3 {
				return filestest.ErrStore
			}
			return nil
		}
		f, err := tail.New(w.settings(with(filestest.Walking{Memory: store}), startAtEnd), w.Sink)
		require.NoError(w, err)
		require.NoError(w, f.Start(w.Context()))
		w.Pass(time.Second)
		require.ErrorIs(w, f.Shutdown(w.Context()), filestest.ErrStore)
		require.Empty(w, store.Positions())
		store.Fail = nil
		w.Old("new.jsonl", "new\n")
		assert.Equal(w, []string{"new"}, w.run(with(filestest.Walking{Memory: store}), startAtEnd).All())
	})
}

// TestInventoryNotUnderstood: an unreadable inventory is reported, and files are judged by their times.
func TestInventoryNotUnderstood(t *testing.T) {
	for name, value := range map[string][]byte{
		"broken": []byte("hello"), "odd": checkpoint.Seal([]byte(`{"left":"AA=="}`)), "a bad pattern": checkpoint.Seal([]byte(`{"sets":[{"include":["/[a"]}]}`)),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(w *world) {
				store := filestest.NewMemory()
				store.Values["seen/files"] = value
				w.Old("a.jsonl", "one\n")
				var keys []string
				got := w.run(with(filestest.Walking{Memory: store}), startAtEnd, func(s *tail.Settings) {
					s.Observer.Unusable = func(key string, err error) {
						keys = append(keys, key)
						assert.ErrorIs(w, err, tail.ErrBroken)
					}
				})
				assert.Empty(w, got.All())
				assert.Equal(w, []string{"seen/files"}, keys)
				w.Old("b.jsonl", "two\n")
				assert.Equal(w, []string{"two"}, w.run(with(filestest.Walking{Memory: store}), startAtEnd).All(), "it was written reset")
			})
		})
	}
}
