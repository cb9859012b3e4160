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
	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/poll"
	"github.com/tailspan/tailspan/poll/internal/source"
	"github.com/tailspan/tailspan/tail"
)

// TestPolledIsBack: a source that was missing for long and reappears is read again, whatever it is.
func TestPolledIsBack(t *testing.T) {
	inBubble(t, func(w *polledFolder) {
		w.write("a.json", `{"n":1}`)
		w.follow()
		w.Pass(time.Minute)
		for _, next := range []string{`{"n":2}`, `{"n":3}`} {
			w.Remove("a.json")
			w.Pass(time.Minute)
			w.write("a.json", next)
			w.Pass(time.Minute)
		}
		assert.Equal(w, []string{`{"n":1}`, `{"n":2}`, `{"n":3}`}, w.Sink.All())
		w.Remove("a.json")
		require.NoError(w, os.Mkdir(w.Path("a.json"), 0o700))
		w.Pass(time.Minute)
		w.Remove("a.json")
		w.write("a.json", `{"n":4}`)
		w.Pass(time.Minute)
		assert.Equal(w, []string{`{"n":1}`, `{"n":2}`, `{"n":3}`, `{"n":4}`}, w.Sink.All(), "a folder was there meanwhile")
	})
	t.Run("database", func(t *testing.T) {
		w := &polledFolder{Folder: filestest.NewFolder(t)}
		w.follow(func(s *poll.Settings) {
			s.Shared.PollInterval, s.Shared.UnlinkGrace = 5*time.Millisecond, time.Millisecond
		})
		for round, id := range []string{"s0", "s1"} {
			db := openDatabase(t, w.Path("next.db"))
			insert(t, db, "session", "id, time_created, time_updated", id, 1, 1)
			require.NoError(t, db.Close()) // which removes the log
			w.Rename("next.db", "opencode.db")
			w.Sink.Until(t, id, func() bool { return len(w.Sink.All()) == round+1 })
			w.Remove("opencode.db")
			w.UntilClosed(round + 1)
		}
	})
}

// keep follows the folder with a store; the world's sink is a new one.
func (w *polledFolder) keep(store tail.Store) {
	w.Helper()
	w.Sink = filestest.NewSink()
	polled, err := poll.New(poll.Settings{
		Documents: []string{w.Path("**")}, IsDocument: isJSON, Shared: tail.Settings{PollOnly: true, Store: store},
	}, &keepers{w.Sink, false})
	require.NoError(w, err)
	require.NoError(w, polled.Start(w.Context()))
	w.polled = polled
	w.Cleanup(w.finish)
}

// TestDocumentIsBackWithAStore continues after its previous content.
func TestDocumentIsBackWithAStore(t *testing.T) {
	polledStores(t, func(w *polledFolder, store tail.Store, _ bool) {
		w.write("a.json", `{"n":1}`)
		w.keep(store)
		w.Pass(time.Minute)
		w.Remove("a.json")
		w.Pass(time.Minute)
		w.write("a.json", `{"n":2}`)
		w.Pass(time.Minute)
		streams := w.Sink.Opened()
		require.Len(w, streams, 2)
		assert.Equal(w, streams[0].ID, streams[1].ID)
		assert.Equal(w, "1", string(streams[1].State))
		assert.Equal(w, []string{`{"n":2}`, `{"n":2}`}, streams[1].Text)
		assert.True(w, streams[1].Received[0].Replayed, "what was accepted, as it is now")
		assert.False(w, streams[1].Received[1].Replayed)
	})
}

// TestDocumentRenamedThenRestarts: a document that was renamed while it was followed is the same after each restart, and the
// one that took its old name is another.
func TestDocumentRenamedThenRestarts(t *testing.T) {
	polledStores(t, func(w *polledFolder, store tail.Store, walks bool) {
		if !walks {
			return // such a store finds documents by their first names
		}
		w.write("a.json", `{"n":1}`)
		w.keep(store)
		w.Pass(time.Minute)
		w.write("next", `{"n":2}`) // another inode under the old name
		w.Rename("next", "a.json")
		w.Pass(time.Minute)
		w.Rename("a.json", "b.json")
		w.Pass(time.Minute)
		w.write("a.json", `{"m":1}`)
		w.Pass(time.Minute)
		w.finish()
		first := w.Sink.Opened()
		require.Len(w, first, 2)
		require.Equal(w, []string{`{"n":1}`, `{"n":2}`}, first[0].Text)
		require.Equal(w, []string{`{"m":1}`}, first[1].Text)
		assert.NotEqual(w, first[0].ID, first[1].ID, "two documents, two positions")
		for range 2 {
			fresh, again := w.lifetime(store, false)
			assert.Empty(w, append(fresh, again...), "nothing has changed")
		}
		w.write("b.json", `{"n":3}`)
		w.write("a.json", `{"m":2}`)
		fresh, _ := w.lifetime(store, false)
		assert.ElementsMatch(w, []string{`{"n":3}`, `{"m":2}`}, fresh)
		for _, s := range w.Sink.Opened() {
			want := first[0].ID
			if s.Name == "a.json" {
				want = first[1].ID
			}
			assert.Equal(w, want, s.ID, s.Name)
		}
	})
}

// TestDatabaseRenamed: its streams continue under another path, while it is followed and in the next process.
func TestDatabaseRenamed(t *testing.T) {
	w := &polledFolder{Folder: filestest.NewFolder(t)}
	store := filestest.Walking{Memory: filestest.NewMemory()}
	skipped := make(chan string, 10)
	quick := func(s *poll.Settings) {
		s.Documents, s.Shared.PollInterval, s.Shared.Store, s.Shared.MaxLineSize = nil, 5*time.Millisecond, store, 1000
		s.Shared.Observer.Skipped = func(path string, _ tail.SkipReason, _ int64) { skipped <- path }
	}
	w.Mkdir("a")
	db := openDatabase(t, w.Path("a/opencode.db"))
	insert(t, db, "session", "id, time_created, time_updated", "s0", 1, 1)
	w.follow(quick)
	read := func(lines int) func() bool { // and the position moved
		return func() bool {
			s := w.Sink.Opened()
			return len(s) == 1 && len(s[0].Received) == lines && s[0].Idles == lines
		}
	}
	w.Sink.Until(t, "a session", read(1))
	w.Rename("a", "b")
	insert(t, db, "message", "id, session_id, time_created, time_updated, data", "m0", "s0", 2, 2, "{}")
	w.Sink.Until(t, "a message in the same stream", read(2))
	insert(t, db, "message", "id, session_id, time_created, time_updated, data", "long", "s0", 2, 2, strings.Repeat("x", 1001))
	assert.Equal(t, w.Path("b/opencode.db"), <-skipped, "reported by its new name")
	w.finish()
	first := w.Sink.Opened()

	insert(t, db, "message", "id, session_id, time_created, time_updated, data", "m1", "s0", 3, 3, "{}")
	w.Sink = filestest.NewPatientSink()
	w.follow(quick)
	w.Sink.Until(t, "another message", func() bool { return len(w.Sink.All()) == 3 })
	w.finish()
	second := w.Sink.Opened()
	require.Len(t, second, 1)
	assert.Equal(t, first[0].ID, second[0].ID)
	assert.Equal(t, []string{"s0", "m0", "m1"}, ids(t, &second[0]))
	assert.True(t, second[0].Received[1].Replayed)
	assert.False(t, second[0].Received[2].Replayed)
}

// TestPolledComplainsOnceOfEach: two unreadable paths are logged once each, however often they are scanned.
func TestPolledComplainsOnceOfEach(t *testing.T) {
	inBubble(t, func(w *polledFolder) {
		require.NoError(w, os.Symlink("b.json", w.Path("a.json")))
		require.NoError(w, os.Symlink("a.json", w.Path("b.json")))
		core, logs := observer.New(zap.WarnLevel)
		w.follow(func(s *poll.Settings) { s.Shared.Logger = zap.New(core) })
		w.Pass(time.Minute)
		logged := logs.FilterMessageSnippet("is not readable").All()
		require.Len(w, logged, 2)
		for _, one := range logged {
			assert.NotEmpty(w, one.ContextMap()["path"])
		}
	})
}

// TestDocumentStaysHalf: a file that never becomes a document is logged, once for each state, and read when it becomes one.
func TestDocumentStaysHalf(t *testing.T) {
	inBubble(t, func(w *polledFolder) {
		core, logs := observer.New(zap.WarnLevel)
		skipped := 0
		w.write("empty.json", "\n")
		w.write("lines.json", `{"n":1}`+"\n"+`{"n":2}`+"\n")
		w.Put("packed.json.gz", filestest.Compressed(w.T, `{"n":3}`)[:20])
		w.follow(func(s *poll.Settings) {
			s.Shared.Logger = zap.New(core)
			s.Shared.Observer.Skipped = func(_ string, reason tail.SkipReason, _ int64) {
				assert.Equal(w, tail.SkipReasonIncomplete, reason)
				skipped++
			}
		})
		w.Pass(source.Patience / 2)
		w.write("lines.json", `{"n":1}`+"\n"+`{"n":2}`)
		w.Pass(source.Patience / 2)
		assert.NotContains(w, loggedPaths(logs), w.Path("lines.json"), "it was being written")
		w.Pass(time.Hour)
		assert.ElementsMatch(w, []string{w.Path("lines.json"), w.Path("packed.json.gz")}, loggedPaths(logs))
		assert.Equal(w, 2, skipped)
		assert.Empty(w, w.Sink.All())
		w.write("lines.json", `[{"n":1},`)
		w.Pass(time.Hour)
		assert.Equal(w, 3, skipped, "another state")
		w.write("lines.json", `[{"n":1},{"n":2}]`)
		w.Pass(time.Hour)
		assert.Equal(w, []string{`[{"n":1},{"n":2}]`}, w.Sink.All())
		assert.Equal(w, 3, skipped)
	})
}

// loggedPaths returns the paths in the log.
func loggedPaths(logs *observer.ObservedLogs) []string {
	var paths []string
	for _, one := range logs.All() {
		paths = append(paths, one.ContextMap()["path"].(string))
	}
	return paths
}

// TestDocumentWithTheInodeOfARemovedOne: of two stored documents that had one inode, the one saved last has it.
func TestDocumentWithTheInodeOfARemovedOne(t *testing.T) {
	polledStores(t, func(w *polledFolder, store tail.Store, walks bool) {
		if !walks {
			return // such a store finds documents by their first names
		}
		memory := store.(filestest.Walking).Memory
		w.write("a.json", `{"n":1}`)
		w.keep(store)
		w.Pass(time.Minute)
		w.finish()
		id := w.Sink.Opened()[0].ID
		at, err := checkpoint.Decode(checkpoint.ItemPrefix, memory.Values[checkpoint.ItemPrefix+id])
		require.NoError(w, err)
		for i := range 50 { // that existed before
			at.Path, at.Saved = w.Path(fmt.Sprintf("gone%d.json", i)), at.Saved-1
			at.Origin, at.Stream = at.Path, fmt.Sprintf("%032d", i)
			memory.Values[checkpoint.ItemPrefix+at.Stream], err = at.Encode()
			require.NoError(w, err)
		}
		w.Rename("a.json", "b.json")
		fresh, again := w.lifetime(store, false)
		assert.Empty(w, append(fresh, again...))
		w.write("b.json", `{"n":2}`)
		w.lifetime(store, false)
		require.Len(w, w.Sink.Opened(), 1)
		assert.Equal(w, id, w.Sink.Opened()[0].ID)
	})
}
