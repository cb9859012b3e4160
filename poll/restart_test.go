package poll_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/poll"
	"github.com/tailspan/tailspan/tail"
)

// keepers is a handler whose streams store the number of their lines.
type keepers struct {
	*filestest.Sink
	open bool
}

type keeper struct {
	*filestest.Opened
	of *keepers
}

func (h *keepers) Open(ctx context.Context, s tail.Stream) (tail.Consumer, error) {
	c, err := h.Sink.Open(ctx, s)
	if err != nil {
		return nil, err
	}
	return keeper{c.(*filestest.Opened), h}, nil
}

func (k keeper) State() ([]byte, bool) {
	k.Sink.Mu.Lock()
	defer k.Sink.Mu.Unlock()
	return fmt.Append(nil, len(k.Received)), k.of.open
}

// lifetime follows the folder with a new Poller until all is quiet, and stops. It returns the new lines, and the replayed
// ones.
func (w *polledFolder) lifetime(store tail.Store, open bool, change ...func(*poll.Settings)) (fresh, again []string) {
	w.Helper()
	w.Sink = filestest.NewSink()
	s := poll.Settings{Documents: []string{w.Path("**")}, IsDocument: isJSON, Databases: []string{w.Path("**/opencode*.db")}}
	s.Shared.PollOnly, s.Shared.Store = true, store
	for _, c := range change {
		c(&s)
	}
	polled, err := poll.New(s, &keepers{w.Sink, open})
	require.NoError(w, err)
	require.NoError(w, polled.Start(w.Context()))
	w.Pass(20 * time.Second)
	require.NoError(w, polled.Shutdown(context.WithoutCancel(w.Context())))
	for _, one := range w.Sink.Opened() {
		for i, l := range one.Received {
			if l.Replayed {
				again = append(again, one.Text[i])
			} else {
				fresh = append(fresh, one.Text[i])
			}
		}
	}
	return fresh, again
}

// polledStores runs a test in a bubble, with a store that can list its keys and with one that can't.
func polledStores(t *testing.T, test func(w *polledFolder, store tail.Store, walks bool)) {
	for _, walks := range []bool{true, false} {
		t.Run(fmt.Sprintf("walks=%v", walks), func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				w := &polledFolder{Folder: &filestest.Folder{T: t, Dir: dir, Sink: filestest.NewSink()}}
				if walks {
					test(w, filestest.Walking{Memory: filestest.NewMemory()}, true)
				} else {
					test(w, filestest.NewMemory(), false)
				}
			})
		})
	}
}

// TestDocumentRestart: an acknowledged document is not opened again; a changed one is delivered after its previous content.
func TestDocumentRestart(t *testing.T) {
	polledStores(t, func(w *polledFolder, store tail.Store, walks bool) {
		w.write("a.json", `{"n":1}`)
		w.write("b.json", `{"m":1}`)
		fresh, again := w.lifetime(store, false)
		assert.ElementsMatch(w, []string{`{"n":1}`, `{"m":1}`}, fresh)
		assert.Empty(w, again)
		ids := map[string]string{}
		for _, s := range w.Sink.Opened() {
			ids[s.Name] = s.ID
		}

		fresh, again = w.lifetime(store, false)
		assert.Empty(w, append(fresh, again...))
		assert.Empty(w, w.Sink.Opened(), "nothing is opened")

		w.write("a.json", `{"n":2}`)
		fresh, again = w.lifetime(store, false)
		assert.Equal(w, []string{`{"n":2}`}, fresh)
		assert.Equal(w, []string{`{"n":2}`}, again, "as it is now")
		s := w.Sink.Opened()[0]
		assert.Equal(w, ids["a.json"], s.ID)
		assert.Equal(w, "1", string(s.State))
		assert.True(w, s.Restated)

		fresh, again = w.lifetime(store, true)
		assert.Empty(w, append(fresh, again...), "the last one had nothing pending")
		w.write("a.json", `{"n":3}`)
		w.lifetime(store, true)
		fresh, again = w.lifetime(store, true)
		assert.Empty(w, fresh)
		assert.Equal(w, []string{`{"n":3}`}, again, "it owes something, so it is opened")

		w.Rename("a.json", "c.json")
		fresh, _ = w.lifetime(store, false)
		if walks {
			assert.Empty(w, fresh, "moved while nobody looked")
			assert.Equal(w, ids["a.json"], w.Sink.Opened()[0].ID)
		}
	})
}

// TestDocumentRestartAtEnd: with start_at end, what was created or changed while no process ran is new.
func TestDocumentRestartAtEnd(t *testing.T) {
	polledStores(t, func(w *polledFolder, store tail.Store, walks bool) {
		w.write("old.json", `{"n":1}`)
		w.Pass(time.Minute)
		fresh, _ := w.lifetime(store, false, fromEnd)
		assert.Empty(w, fresh)
		w.write("seen.json", `{"n":2}`)
		w.lifetime(store, false) // one that acknowledges something, which records the last run
		w.Pass(time.Minute)
		w.write("new.json", `{"n":3}`)
		w.write("seen.json", `{"n":4}`)
		fresh, _ = w.lifetime(store, false, fromEnd)
		want := []string{`{"n":4}`}
		if walks {
			want = append(want, `{"n":3}`)
		}
		assert.ElementsMatch(w, want, fresh)
	})
}

// TestDocumentIdleClose: a document that is quiet for long is closed, and continues after its previous content.
func TestDocumentIdleClose(t *testing.T) {
	polledStores(t, func(w *polledFolder, store tail.Store, _ bool) {
		w.write("a.json", `{"n":1}`)
		polled, err := poll.New(poll.Settings{
			Documents: []string{w.Path("**")}, IsDocument: isJSON,
			Shared: tail.Settings{PollOnly: true, Store: store, IdleClose: time.Hour},
		}, &keepers{w.Sink, false})
		require.NoError(w, err)
		require.NoError(w, polled.Start(w.Context()))
		w.Pass(2 * time.Hour)
		w.write("a.json", `{"n":2}`)
		w.Pass(time.Minute)
		require.NoError(w, polled.Shutdown(w.Context()))
		streams := w.Sink.Opened()
		require.Len(w, streams, 2)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonIdle}, streams[0].Closed)
		assert.Equal(w, []string{`{"n":2}`, `{"n":2}`}, streams[1].Text)
		assert.True(w, streams[1].Received[0].Replayed)
		assert.False(w, streams[1].Received[1].Replayed)
		assert.Equal(w, "1", string(streams[1].State))
	})
}

// TestItemStateNotUnderstood is reported, and its source is read as if it were new; a store that fails is reported too.
func TestItemStateNotUnderstood(t *testing.T) {
	for name, spoil := range map[string]func(value []byte) []byte{
		"broken": func(v []byte) []byte { return v[:len(v)-1] },
		"newer": func(v []byte) []byte {
			return []byte(strings.Replace(string(v), "checkpoint 2", "checkpoint 9", 1))
		},
		"nothing of us": func([]byte) []byte { return []byte("hello") },
		"odd position": func([]byte) []byte {
			return checkpoint.Seal([]byte(`{"stream":"s","path":"/p","origin":"/p","position":{"sum":"AA=="}}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			polledStores(t, func(w *polledFolder, store tail.Store, _ bool) {
				w.write("a.json", `{"n":1}`)
				w.lifetime(store, false)
				m := filestest.MemoryOf(store)
				require.Len(w, m.Positions(), 1)
				for key, value := range m.Positions() {
					m.Values[key] = spoil(value)
				}
				unusable := 0
				core, logs := observer.New(zap.ErrorLevel)
				fresh, _ := w.lifetime(store, false, func(s *poll.Settings) {
					s.Shared.Observer.Unusable = func(string, error) { unusable++ }
					s.Shared.Logger = zap.New(core)
				})
				assert.Equal(w, []string{`{"n":1}`}, fresh)
				assert.Positive(w, unusable)
				assert.Positive(w, logs.Len())
			})
		})
	}
}

// TestOlderItemStatesAreDeleted: those of missing items would be reported at each start.
func TestOlderItemStatesAreDeleted(t *testing.T) {
	polledStores(t, func(w *polledFolder, store tail.Store, walks bool) {
		if !walks {
			return // it can't list its keys
		}
		w.write("a.json", `{"n":1}`)
		w.lifetime(store, false)
		m := filestest.MemoryOf(store)
		require.Len(w, m.Positions(), 1)
		for key, value := range m.Positions() {
			m.Values[key] = []byte(strings.Replace(string(value), "checkpoint 2", "checkpoint 1", 1))
		}
		require.NoError(w, os.Remove(w.Path("a.json")))
		unusable := 0
		count := func(s *poll.Settings) { s.Shared.Observer.Unusable = func(string, error) { unusable++ } }
		w.lifetime(store, false, count)
		w.lifetime(store, false, count)
		assert.Equal(w, 1, unusable)
		assert.Empty(w, m.Positions())
	})
}

// TestItemStoreFails: a failed save is retried; reading continues, and one message contains the advice.
func TestItemStoreFails(t *testing.T) {
	polledStores(t, func(w *polledFolder, store tail.Store, walks bool) {
		w.write("a.json", `{"n":1}`)
		m := filestest.MemoryOf(store)
		reads := 2
		if walks {
			reads = 5 // including those of the inventory
		}
		m.Fail = func(call int) error {
			if call > reads && call < 12 {
				return filestest.ErrStore
			}
			return nil
		}
		core, logs := observer.New(zap.ErrorLevel)
		unsaved := 0
		fresh, _ := w.lifetime(store, false, func(s *poll.Settings) {
			s.Shared.Logger = zap.New(core)
			s.Shared.Observer.Unsaved = func(string, error) { unsaved++ }
		})
		assert.Equal(w, []string{`{"n":1}`}, fresh)
		assert.Positive(w, unsaved)
		assert.Equal(w, 1, logs.FilterMessage("checkpoint not saved, will retry").Len())
		m.Fail = nil
		fresh, again := w.lifetime(store, false)
		assert.Empty(w, append(fresh, again...))
	})
	t.Run("can't be walked", func(t *testing.T) {
		w := &polledFolder{Folder: filestest.NewFolder(t)}
		m := filestest.NewMemory()
		m.Fail = func(int) error { return filestest.ErrStore }
		polled, err := poll.New(poll.Settings{Documents: []string{w.Path("**")}, Shared: tail.Settings{Store: filestest.Walking{Memory: m}, PollOnly: true}}, w.Sink)
		require.NoError(t, err)
		require.ErrorIs(t, polled.Start(t.Context()), filestest.ErrStore)
		require.NoError(t, polled.Shutdown(t.Context()))
	})
}

// TestItemKeepUnlinked: checkpoints of missing documents are deleted after a while.
func TestItemKeepUnlinked(t *testing.T) {
	polledStores(t, func(w *polledFolder, store tail.Store, walks bool) {
		w.write("a.json", `{"n":1}`)
		w.write("b.json", `{"n":2}`)
		w.lifetime(store, false)
		w.Remove("a.json")
		w.Pass(tail.DefaultKeepUnlinked / 2)
		w.lifetime(store, false)
		assert.Len(w, filestest.MemoryOf(store).Positions(), 2)
		w.Pass(tail.DefaultKeepUnlinked)
		w.lifetime(store, false)
		if walks {
			assert.Len(w, filestest.MemoryOf(store).Positions(), 1)
		}
	})
}

// TestPolledIsWatched: changes are seen at once, in documents, in databases and their logs, and in new files.
func TestPolledIsWatched(t *testing.T) {
	w := &polledFolder{Folder: filestest.NewFolder(t)}
	db := openDatabase(t, w.Path("opencode.db"))
	insert(t, db, "session", "id, time_created, time_updated", "s0", 1, 1)
	w.Put("a.json", `{"n":1}`)
	w.follow(func(s *poll.Settings) {
		s.Shared.PollOnly = false
		s.Shared.PollInterval = time.Hour // only events can make the test pass in time
	})
	lines := func(n int) func() bool { return func() bool { return len(w.Sink.All()) >= n } }
	w.Sink.Until(t, "what is there", lines(2))
	w.Put("a.json", `{"n":2}`)
	w.Sink.Until(t, "a changed document", lines(3))
	w.Put("next", `{"n":3}`)
	w.Rename("next", "a.json")
	w.Sink.Until(t, "a replaced document", lines(4))
	insert(t, db, "message", "id, session_id, time_created, time_updated, data", "m0", "s0", 9, 9, "{}")
	w.Sink.Until(t, "a row", lines(5))
	w.Put("b.json", `{"n":4}`)
	w.Sink.Until(t, "a new document", lines(6))
	// The folder appears with its content: one that is empty when it is scanned is not watched.
	aside := &filestest.Folder{T: t, Dir: t.TempDir()}
	aside.Mkdir("deep/er")
	aside.Put("deep/er/c.json", `{"n":5}`)
	require.NoError(t, os.Rename(aside.Path("deep"), w.Path("deep")))
	w.Sink.Until(t, "a document in a new folder", lines(7))
}

// TestPolledWatchesRunOut: then sources are polled.
func TestPolledWatchesRunOut(t *testing.T) {
	w := &polledFolder{Folder: filestest.NewFolder(t)}
	core, logs := observer.New(zap.WarnLevel)
	w.Put("a.json", `{"n":1}`)
	polled, err := poll.New(poll.Settings{
		Documents: []string{w.Path("**")}, IsDocument: isJSON,
		Shared: tail.Settings{PollInterval: 5 * time.Millisecond, Logger: zap.New(core)},
	}, w.Sink)
	require.NoError(t, err)
	polled.SetNewWatcher(func(refused func(string, error)) (*discover.Watcher, error) {
		w, err := discover.NewWatcher(refused)
		if err == nil {
			w.Notify = &filestest.Refusing{Notifier: w.Notify, Left: 0}
		}
		return w, err
	})
	require.NoError(t, polled.Start(t.Context()))
	w.polled = polled
	w.Cleanup(w.finish)
	w.Sink.Until(t, "what is there", func() bool { return len(w.Sink.All()) >= 1 })
	w.Put("a.json", `{"n":2}`)
	w.Sink.Until(t, "what comes", func() bool { return len(w.Sink.All()) >= 2 })
	w.finish()
	assert.Equal(t, 1, logs.Len(), "one warning")
}

// TestWatchWarningIsShared: all sources of a receiver share one warning, whether no watches are left or none work at all.
func TestWatchWarningIsShared(t *testing.T) {
	for name, refuse := range map[string]func(func(string, error)) (*discover.Watcher, error){
		"none left": func(refused func(string, error)) (*discover.Watcher, error) {
			w, err := discover.NewWatcher(refused)
			if err == nil {
				w.Notify = &filestest.Refusing{Notifier: w.Notify, Left: 0}
			}
			return w, err
		},
		"not possible": func(func(string, error)) (*discover.Watcher, error) { return nil, syscall.EMFILE },
	} {
		t.Run(name, func(t *testing.T) {
			w := filestest.NewFolder(t)
			core, logs := observer.New(zap.WarnLevel)
			refused := 0
			settings := tail.Settings{Logger: zap.New(core), WatchWarning: new(sync.Once), PollInterval: 5 * time.Millisecond}
			settings.Observer.WatchRefused = func(string, error) { refused++ }
			for _, name := range []string{"a.json", "b.json"} {
				polled, err := poll.New(poll.Settings{Documents: []string{w.Path(name)}, IsDocument: isJSON, Shared: settings}, w.Sink)
				require.NoError(t, err)
				polled.SetNewWatcher(refuse)
				w.Put(name, `{"n":1}`)
				before := len(w.Sink.All())
				require.NoError(t, polled.Start(t.Context()))
				w.Sink.Until(t, "a document", func() bool { return len(w.Sink.All()) > before })
				require.NoError(t, polled.Shutdown(t.Context()))
			}
			assert.Equal(t, 2, refused)
			assert.Equal(t, 1, logs.Len())
		})
	}
}

// TestItemsArrivedWhileDown: the same for documents, and for databases, whose rows are then read whole.
func TestItemsArrivedWhileDown(t *testing.T) {
	inBubble(t, func(w *polledFolder) {
		store := filestest.Walking{Memory: filestest.NewMemory()}
		row := func(path, id string) {
			db := openDatabase(w.T, w.Path(path))
			insert(w.T, db, "session", "id, time_created, time_updated", id, 1, 1)
			require.NoError(w, db.Close())
		}
		w.Old("was.json", `{"n":1}`)
		row("opencode-was.db", "was")
		fresh, _ := w.lifetime(store, false, fromEnd)
		require.Empty(w, fresh)
		w.Old("came.json", `{"n":2}`)
		row("opencode-came.db", "came")
		fresh, _ = w.lifetime(store, false, fromEnd)
		require.Len(w, fresh, 2)
		assert.Contains(w, strings.Join(fresh, " "), `{"n":2}`)
		assert.Contains(w, strings.Join(fresh, " "), `"came"`)
		fresh, again := w.lifetime(store, false, fromEnd)
		assert.Empty(w, append(fresh, again...))
	})
}

// TestDatabaseUnreadableAtStart: the checkpoints of its families, however old, are kept until it was read.
func TestDatabaseUnreadableAtStart(t *testing.T) {
	polledStores(t, func(w *polledFolder, store tail.Store, _ bool) {
		db := openDatabase(w.T, w.Path("opencode.db"))
		insert(w.T, db, "session", "id, time_created, time_updated", "s0", 1, 1)
		require.NoError(w, db.Close())
		fresh, _ := w.lifetime(store, false)
		require.Len(w, fresh, 1)
		w.Pass(2 * tail.DefaultKeepUnlinked)
		w.Rename("opencode.db", "aside")
		w.Put("opencode.db", "not yet restored from its backup")

		w.Sink = filestest.NewSink()
		w.follow(func(s *poll.Settings) { s.Shared.Store = store })
		w.Pass(time.Minute)
		w.Rename("aside", "opencode.db")
		w.Pass(5 * time.Minute)
		assert.Empty(w, w.Sink.All())
		w.finish()
		assert.Len(w, filestest.MemoryOf(store).Positions(), 1)
	})
}

// TestIncompleteDocumentWithPendingOutput is read again when it changes, and not all the time.
func TestIncompleteDocumentWithPendingOutput(t *testing.T) {
	polledStores(t, func(w *polledFolder, store tail.Store, _ bool) {
		w.write("a.json", `{"n":1}`)
		fresh, _ := w.lifetime(store, true)
		require.Equal(w, []string{`{"n":1}`}, fresh)
		w.write("a.json", `{"n":2`)

		w.Sink = filestest.NewSink()
		polled, err := poll.New(poll.Settings{
			Documents: []string{w.Path("**")}, IsDocument: isJSON, Shared: tail.Settings{PollOnly: true, Store: store},
		}, &keepers{w.Sink, false})
		require.NoError(w, err)
		opened := 0
		polled.SetOpen(func(path string) (openfile.Handle, error) {
			opened++
			return openfile.Open(path)
		})
		require.NoError(w, polled.Start(w.Context()))
		w.polled = polled
		w.Cleanup(w.finish)
		w.Pass(time.Hour)
		assert.Less(w, opened, 5)
		assert.Empty(w, w.Sink.All())
		w.write("a.json", `{"n":2}`)
		w.Pass(time.Minute)
		assert.Equal(w, []string{`{"n":2}`, `{"n":2}`}, w.Sink.All(), "what was accepted, as it is now, and then as new")
	})
}
