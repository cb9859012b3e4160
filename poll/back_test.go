package poll_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/poll"
	"github.com/tailspan/tailspan/poll/internal/source"
	"github.com/tailspan/tailspan/tail"
)

// TestPolledIsBack: what is gone for long and then there again is read again, whatever it is.
func TestPolledIsBack(t *testing.T) {
	inBubble(t, func(w *polledWorld) {
		w.write("a.json", `{"n":1}`)
		w.follow()
		w.pass(time.Minute)
		for _, next := range []string{`{"n":2}`, `{"n":3}`} {
			w.remove("a.json")
			w.pass(time.Minute)
			w.write("a.json", next)
			w.pass(time.Minute)
		}
		assert.Equal(w, []string{`{"n":1}`, `{"n":2}`, `{"n":3}`}, w.sink.all())
		w.remove("a.json")
		require.NoError(w, os.Mkdir(w.path("a.json"), 0o700))
		w.pass(time.Minute)
		w.remove("a.json")
		w.write("a.json", `{"n":4}`)
		w.pass(time.Minute)
		assert.Equal(w, []string{`{"n":1}`, `{"n":2}`, `{"n":3}`, `{"n":4}`}, w.sink.all(), "a folder was there meanwhile")
	})
	t.Run("database", func(t *testing.T) {
		w := &polledWorld{world: newWorld(t)}
		w.follow(func(s *poll.Settings) {
			s.Shared.PollInterval, s.Shared.UnlinkGrace = 5*time.Millisecond, time.Millisecond
		})
		for round, id := range []string{"s0", "s1"} {
			db := openDatabase(t, w.path("next.db"))
			insert(t, db, "session", "id, time_created, time_updated", id, 1, 1)
			require.NoError(t, db.Close()) // which ends the log
			w.rename("next.db", "opencode.db")
			w.sink.until(t, id, func() bool { return len(w.sink.all()) == round+1 })
			w.remove("opencode.db")
			w.untilClosed(round + 1)
		}
	})
}

// keep follows the folder with a store; the world's sink is a new one.
func (w *polledWorld) keep(store tail.Store) {
	w.Helper()
	w.sink = newSink()
	polled, err := poll.New(poll.Settings{
		Documents: []string{w.path("**")}, IsDocument: isJSON, Shared: tail.Settings{PollOnly: true, Store: store},
	}, &keepers{w.sink, false})
	require.NoError(w, err)
	require.NoError(w, polled.Start(w.Context()))
	w.polled = polled
	w.Cleanup(w.finish)
}

// TestDocumentIsBackWithAStore goes on after what it was.
func TestDocumentIsBackWithAStore(t *testing.T) {
	polledStores(t, func(w *polledWorld, store tail.Store, _ bool) {
		w.write("a.json", `{"n":1}`)
		w.keep(store)
		w.pass(time.Minute)
		w.remove("a.json")
		w.pass(time.Minute)
		w.write("a.json", `{"n":2}`)
		w.pass(time.Minute)
		streams := w.sink.opened()
		require.Len(w, streams, 2)
		assert.Equal(w, streams[0].ID, streams[1].ID)
		assert.Equal(w, "1", string(streams[1].State))
		assert.Equal(w, []string{`{"n":2}`, `{"n":2}`}, streams[1].text)
		assert.True(w, streams[1].lines[0].Replayed, "what was accepted, as it is now")
		assert.False(w, streams[1].lines[1].Replayed)
	})
}

// TestDocumentRenamedThenRestarts: a document that was renamed while it was followed is the same after each restart, and
// the one that took its old name is another.
func TestDocumentRenamedThenRestarts(t *testing.T) {
	polledStores(t, func(w *polledWorld, store tail.Store, walks bool) {
		if !walks {
			return // such a store finds documents by the names that they had first
		}
		w.write("a.json", `{"n":1}`)
		w.keep(store)
		w.pass(time.Minute)
		w.write("next", `{"n":2}`) // another inode under the old name
		w.rename("next", "a.json")
		w.pass(time.Minute)
		w.rename("a.json", "b.json")
		w.pass(time.Minute)
		w.write("a.json", `{"m":1}`)
		w.pass(time.Minute)
		w.finish()
		first := w.sink.opened()
		require.Len(w, first, 2)
		require.Equal(w, []string{`{"n":1}`, `{"n":2}`}, first[0].text)
		require.Equal(w, []string{`{"m":1}`}, first[1].text)
		assert.NotEqual(w, first[0].ID, first[1].ID, "two documents, two positions")
		for range 2 {
			fresh, again := w.lifetime(store, false)
			assert.Empty(w, append(fresh, again...), "nothing has changed")
		}
		w.write("b.json", `{"n":3}`)
		w.write("a.json", `{"m":2}`)
		fresh, _ := w.lifetime(store, false)
		assert.ElementsMatch(w, []string{`{"n":3}`, `{"m":2}`}, fresh)
		for _, s := range w.sink.opened() {
			want := first[0].ID
			if s.Name == "a.json" {
				want = first[1].ID
			}
			assert.Equal(w, want, s.ID, s.Name)
		}
	})
}

// TestDatabaseRenamed: its streams go on under another path, while it is followed and in the next process.
func TestDatabaseRenamed(t *testing.T) {
	w := &polledWorld{world: newWorld(t)}
	store := walking{newMemory()}
	skipped := make(chan string, 10)
	quick := func(s *poll.Settings) {
		s.Documents, s.Shared.PollInterval, s.Shared.Store, s.Shared.MaxLineSize = nil, 5*time.Millisecond, store, 1000
		s.Shared.Observer.Skipped = func(path string, _ tail.SkipReason, _ int64) { skipped <- path }
	}
	w.mkdir("a")
	db := openDatabase(t, w.path("a/opencode.db"))
	insert(t, db, "session", "id, time_created, time_updated", "s0", 1, 1)
	w.follow(quick)
	read := func(lines int) func() bool { // and the position moved
		return func() bool {
			s := w.sink.opened()
			return len(s) == 1 && len(s[0].lines) == lines && s[0].idle == lines
		}
	}
	w.sink.until(t, "a session", read(1))
	w.rename("a", "b")
	insert(t, db, "message", "id, session_id, time_created, time_updated, data", "m0", "s0", 2, 2, "{}")
	w.sink.until(t, "a message in the same stream", read(2))
	insert(t, db, "message", "id, session_id, time_created, time_updated, data", "long", "s0", 2, 2, strings.Repeat("x", 1001))
	assert.Equal(t, w.path("b/opencode.db"), <-skipped, "told by its new name")
	w.finish()
	first := w.sink.opened()

	insert(t, db, "message", "id, session_id, time_created, time_updated, data", "m1", "s0", 3, 3, "{}")
	w.sink = newPatientSink()
	w.follow(quick)
	w.sink.until(t, "another message", func() bool { return len(w.sink.all()) == 3 })
	w.finish()
	second := w.sink.opened()
	require.Len(t, second, 1)
	assert.Equal(t, first[0].ID, second[0].ID)
	assert.Equal(t, []string{"s0", "m0", "m1"}, ids(t, &second[0]))
	assert.True(t, second[0].lines[1].Replayed)
	assert.False(t, second[0].lines[2].Replayed)
}

// TestPolledComplainsOnceOfEach: two paths that can't be looked at are told once each, however often they are looked at.
func TestPolledComplainsOnceOfEach(t *testing.T) {
	inBubble(t, func(w *polledWorld) {
		require.NoError(w, os.Symlink("b.json", w.path("a.json")))
		require.NoError(w, os.Symlink("a.json", w.path("b.json")))
		core, logs := observer.New(zap.WarnLevel)
		w.follow(func(s *poll.Settings) { s.Shared.Logger = zap.New(core) })
		w.pass(time.Minute)
		told := logs.FilterMessageSnippet("is not readable").All()
		require.Len(w, told, 2)
		for _, one := range told {
			assert.NotEmpty(w, one.ContextMap()["path"])
		}
	})
}

// TestDocumentStaysHalf: what never becomes a document is told, once for each state, and read when it becomes one.
func TestDocumentStaysHalf(t *testing.T) {
	inBubble(t, func(w *polledWorld) {
		core, logs := observer.New(zap.WarnLevel)
		skipped := 0
		w.write("empty.json", "\n")
		w.write("lines.json", `{"n":1}`+"\n"+`{"n":2}`+"\n")
		w.put("packed.json.gz", compressed(w.T, `{"n":3}`)[:20])
		w.follow(func(s *poll.Settings) {
			s.Shared.Logger = zap.New(core)
			s.Shared.Observer.Skipped = func(_ string, reason tail.SkipReason, _ int64) {
				assert.Equal(w, tail.SkipReasonIncomplete, reason)
				skipped++
			}
		})
		w.pass(source.Patience / 2)
		w.write("lines.json", `{"n":1}`+"\n"+`{"n":2}`)
		w.pass(source.Patience / 2)
		assert.NotContains(w, toldPaths(logs), w.path("lines.json"), "it was being written")
		w.pass(time.Hour)
		assert.ElementsMatch(w, []string{w.path("lines.json"), w.path("packed.json.gz")}, toldPaths(logs))
		assert.Equal(w, 2, skipped)
		assert.Empty(w, w.sink.all())
		w.write("lines.json", `[{"n":1},`)
		w.pass(time.Hour)
		assert.Equal(w, 3, skipped, "another state")
		w.write("lines.json", `[{"n":1},{"n":2}]`)
		w.pass(time.Hour)
		assert.Equal(w, []string{`[{"n":1},{"n":2}]`}, w.sink.all())
		assert.Equal(w, 3, skipped)
	})
}

// toldPaths are the paths of the lines that were logged.
func toldPaths(logs *observer.ObservedLogs) []string {
	var paths []string
	for _, one := range logs.All() {
		paths = append(paths, one.ContextMap()["path"].(string))
	}
	return paths
}

// TestDocumentWithTheInodeOfOneThatIsGone: of two stored documents that had one inode, the one that was saved last has it.
func TestDocumentWithTheInodeOfOneThatIsGone(t *testing.T) {
	polledStores(t, func(w *polledWorld, store tail.Store, walks bool) {
		if !walks {
			return // such a store finds documents by the names that they had first
		}
		memory := store.(walking).memory
		w.write("a.json", `{"n":1}`)
		w.keep(store)
		w.pass(time.Minute)
		w.finish()
		id := w.sink.opened()[0].ID
		at, err := checkpoint.Decode(checkpoint.ItemPrefix, memory.values[checkpoint.ItemPrefix+id])
		require.NoError(w, err)
		for i := range 50 { // that were there before
			at.Path, at.Saved = w.path(fmt.Sprintf("gone%d.json", i)), at.Saved-1
			at.Origin, at.Stream = at.Path, fmt.Sprintf("%032d", i)
			memory.values[checkpoint.ItemPrefix+at.Stream], err = at.Encode()
			require.NoError(w, err)
		}
		w.rename("a.json", "b.json")
		fresh, again := w.lifetime(store, false)
		assert.Empty(w, append(fresh, again...))
		w.write("b.json", `{"n":2}`)
		w.lifetime(store, false)
		require.Len(w, w.sink.opened(), 1)
		assert.Equal(w, id, w.sink.opened()[0].ID)
	})
}
