package poll_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/poll"
	"github.com/tailspan/tailspan/tail"
)

// polledFolder is a folder with a Poller that follows its content.
type polledFolder struct {
	*filestest.Folder
	polled *poll.Poller
}

// inBubble runs a test in a bubble.
func inBubble(t *testing.T, test func(w *polledFolder)) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		test(&polledFolder{Folder: &filestest.Folder{T: t, Dir: dir, Sink: filestest.NewSink()}})
	})
}

func isJSON(path string) bool {
	return strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".json.gz")
}

func (w *polledFolder) follow(change ...func(*poll.Settings)) {
	w.Helper()
	s := poll.Settings{
		Documents: []string{w.Path("**")}, IsDocument: isJSON, Databases: []string{w.Path("**/opencode*.db")},
	}
	s.Shared.PollOnly = true // in a bubble, and if a test sets the interval
	for _, c := range change {
		c(&s)
	}
	polled, err := poll.New(s, w.Sink)
	require.NoError(w, err)
	require.NoError(w, polled.Start(w.Context()))
	w.polled = polled
	w.Cleanup(w.finish)
}

func (w *polledFolder) finish() {
	assert.NoError(w, w.polled.Shutdown(context.WithoutCancel(w.Context())))
}

// write writes a document and sets its time, because a bubble's time is not that of the file system.
func (w *polledFolder) write(name, text string) {
	w.Helper()
	w.Put(name, text)
	now := time.Now()
	require.NoError(w, os.Chtimes(w.Path(name), now, now))
}

func fromEnd(s *poll.Settings) { s.Shared.StartAt = tail.StartAtEnd }

func TestDocumentIsReadWholeWhenItChanges(t *testing.T) {
	inBubble(t, func(w *polledFolder) {
		w.write("a.json", "{\n  \"n\": 1\n}\n")
		w.write("notes.txt", "{}")
		w.follow()
		w.Pass(time.Second)
		assert.Equal(w, []string{"{\n  \"n\": 1\n}\n"}, w.Sink.All())
		w.Pass(time.Minute)
		w.write("a.json", "{\n  \"n\": 1\n}\n") // touched, and as it was
		w.Pass(time.Minute)
		w.write("a.json", `{"n":2}`)
		w.Pass(time.Minute)
		w.write("b.json", `[1,"]"]`)
		w.Pass(time.Minute)
		w.Remove("a.json")
		w.Pass(time.Minute)
		streams := w.Sink.Opened()
		require.Len(w, streams, 2)
		assert.Equal(w, []string{"{\n  \"n\": 1\n}\n", `{"n":2}`}, streams[0].Text)
		assert.Equal(w, []string{`[1,"]"]`}, streams[1].Text)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonUnlinked}, streams[0].Closed)
		assert.Empty(w, streams[1].Closed)
		assert.Equal(w, 2, streams[0].Idles)
		assert.Equal(w, []tail.Line{{Next: 13}, {Next: 7, Live: true}}, streams[0].Received)
		w.finish()
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonShutdown}, w.Sink.Opened()[1].Closed)
	})
}

// TestChangeOfAnOlderDocumentIsLive: a document whose time shows that it was read whole is not read again before it changes.
func TestChangeOfAnOlderDocumentIsLive(t *testing.T) {
	inBubble(t, func(w *polledFolder) {
		w.write("a.json", `{"n":1}`)
		w.Pass(time.Minute)
		w.follow()
		w.Pass(time.Second)
		w.write("a.json", `{"n":2}`)
		w.Pass(time.Second)
		assert.Equal(w, []tail.Line{{Next: 7}, {Next: 7, Live: true}}, w.Sink.Opened()[0].Received)
		w.finish()
	})
}

// TestDocumentHalfWritten: no incomplete state is delivered, however it was written.
func TestDocumentHalfWritten(t *testing.T) {
	inBubble(t, func(w *polledFolder) {
		text := `{"messages":[{"text":"a } in a \" string"},{"text":"{"}]}`
		w.follow()
		for cut := range text {
			w.write("a.json", text[:cut])
			w.Pass(2 * time.Second)
		}
		assert.Empty(w, w.Sink.All())
		w.write("a.json", text)
		w.Pass(2 * time.Second)
		w.write("next", text+"\n")
		w.Rename("next", "a.json")
		w.Pass(2 * time.Second)
		assert.Equal(w, []string{text, text + "\n"}, w.Sink.All())
		assert.Len(w, w.Sink.Opened(), 1, "replaced by renaming, and the same document")
	})
}

func TestDocumentTooLarge(t *testing.T) {
	inBubble(t, func(w *polledFolder) {
		skipped := map[string]int64{}
		large := `{"x":"` + strings.Repeat("x", 1000) + `"}`
		w.Put("packed.json.gz", filestest.Compressed(w.T, large))
		w.write("a.json", large)
		w.follow(func(s *poll.Settings) {
			s.MaxDocumentSize = 100
			s.Shared.Observer.Skipped = func(path string, reason tail.SkipReason, n int64) {
				assert.Equal(w, tail.SkipReasonTooLong, reason)
				skipped[filepath.Base(path)] += n
			}
		})
		w.Pass(time.Minute)
		w.write("a.json", large+" ")
		w.Pass(time.Minute)
		assert.Empty(w, w.Sink.All())
		w.write("a.json", `{}`)
		w.Pass(time.Minute)
		assert.Equal(w, []string{`{}`}, w.Sink.All())
		assert.Equal(w, map[string]int64{"a.json": 1008, "packed.json.gz": 101}, skipped, "each counted once")
	})
}

func TestDocumentRefused(t *testing.T) {
	inBubble(t, func(w *polledFolder) {
		w.Sink.Refuse = 5
		w.write("a.json", `{"n":1}`)
		w.write("b.json", `{"n":2}`)
		w.follow()
		w.Pass(time.Minute)
		assert.Equal(w, []string{`{"n":1}`, `{"n":2}`}, w.Sink.Sorted())
		assert.Zero(w, w.Sink.Refuse)
	})
}

func TestDocumentStartAtEnd(t *testing.T) {
	inBubble(t, func(w *polledFolder) {
		w.write("old.json", `{"n":1}`)
		w.write("quiet.json", `{"n":0}`)
		w.follow(fromEnd)
		w.Pass(time.Minute)
		assert.Empty(w, w.Sink.All())
		w.write("old.json", `{"n":1,"m":2}`)
		w.write("new.json", `{"n":3}`)
		w.Pass(time.Minute)
		assert.Equal(w, []string{`{"n":1,"m":2}`, `{"n":3}`}, w.Sink.Sorted())
	})
}

func TestDocumentMovedAndLinked(t *testing.T) {
	inBubble(t, func(w *polledFolder) {
		w.Mkdir("old")
		w.write("a.json", `{"n":1}`)
		require.NoError(w, os.Link(w.Path("a.json"), w.Path("b.json")))
		w.follow()
		w.Pass(time.Minute)
		w.Rename("b.json", "old/b.json")
		w.Pass(time.Minute)
		w.Rename("a.json", "old/a.json")
		w.Pass(time.Minute)
		w.write("old/a.json", `{"n":2}`)
		w.Pass(time.Minute)
		assert.Equal(w, []string{`{"n":1}`, `{"n":2}`}, w.Sink.All())
		assert.Len(w, w.Sink.Opened(), 1)
	})
}

// TestDocumentUnreadable is logged once, and read when possible.
func TestDocumentUnreadable(t *testing.T) {
	inBubble(t, func(w *polledFolder) {
		w.write("a.json.gz", "no gzip")
		w.Mkdir("dir.json")
		failed := 0
		w.follow(func(s *poll.Settings) {
			s.Shared.Observer.Failed = func(string, error, time.Duration) { failed++ }
		})
		w.Pass(time.Minute)
		assert.Zero(w, failed, "it may be half-written")
		w.write("a.json.gz", filestest.Compressed(w.T, `{}`))
		w.Pass(time.Minute)
		assert.Equal(w, []string{`{}`}, w.Sink.All())
	})
}

// TestDocumentReadFails: a failed read is retried, and nothing is lost; the log contains the advice once.
func TestDocumentReadFails(t *testing.T) {
	for name, disk := range map[string]*filestest.Faults{
		"at opening": {Opens: 4, Why: syscall.EACCES},
		"half way":   {Reads: 4, Limit: 20},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *polledFolder) {
				core, logs := observer.New(zap.WarnLevel)
				failed := 0
				w.follow(func(s *poll.Settings) {
					s.Shared.Logger = zap.New(core)
					s.Shared.Observer.Failed = func(string, error, time.Duration) { failed++ }
				})
				polled := w.polled
				w.Sink.Mu.Lock()
				w.Sink.Accept = func(tail.Stream, []tail.Line) error { // in the goroutine that opens
					polled.SetOpen(disk.Open)
					return nil
				}
				w.Sink.Mu.Unlock()
				w.write("a.json", `{"n":1}`)
				w.Pass(2 * time.Second)
				text := `{"n":2,"pad":"` + strings.Repeat("x", 100) + `"}`
				w.write("a.json", text)
				w.Pass(time.Hour)
				assert.Equal(w, []string{`{"n":1}`, text}, w.Sink.All())
				assert.Equal(w, 4, failed)
				require.Equal(w, 1, logs.Len())
				assert.NotEmpty(w, logs.All()[0].ContextMap()["advice"])
			})
		})
	}
}

// TestIdleCloseZero: no stream is closed as idle if IdleClose is 0, neither of a database nor of a document.
func TestIdleCloseZero(t *testing.T) {
	for _, tt := range []struct {
		name string
		idle time.Duration
		want []tail.CloseReason
	}{{"never", 0, nil}, {"an hour", time.Hour, []tail.CloseReason{tail.CloseReasonIdle}}} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(w *polledFolder) {
				db := openDatabase(w.T, w.Path("opencode.db"))
				insert(w.T, db, "session", "id, time_created, time_updated", "s0", 1, 1)
				w.Put("a.json", "{}")
				w.follow(func(s *poll.Settings) { s.Shared.IdleClose, s.Shared.Store = tt.idle, filestest.NewMemory() })
				w.Pass(2 * time.Hour)
				require.Len(w, w.Sink.Opened(), 2)
				for _, s := range w.Sink.Opened() {
					assert.Equal(w, tt.want, s.Closed, s.Path)
				}
			})
		})
	}
}

// waiters opens consumers for which another stream last worked at a time.
type waiters struct {
	*filestest.Sink
	moved time.Time
}

type waiter struct {
	tail.Consumer
	moved time.Time
}

func (w *waiters) Open(ctx context.Context, s tail.Stream) (tail.Consumer, error) {
	c, err := w.Sink.Open(ctx, s)
	return waiter{c, w.moved}, err
}

func (w waiter) Moved() time.Time { return w.moved }

// TestWaiterIsNotIdle: a consumer for which other streams are at work is closed IdleClose after the last of that.
func TestWaiterIsNotIdle(t *testing.T) {
	inBubble(t, func(w *polledFolder) {
		db := openDatabase(w.T, w.Path("opencode.db"))
		insert(w.T, db, "session", "id, time_created, time_updated", "s0", 1, 1)
		w.Put("a.json", "{}")
		polled, err := poll.New(poll.Settings{
			Documents: []string{w.Path("**")}, IsDocument: isJSON, Databases: []string{w.Path("opencode.db")},
			Shared: tail.Settings{PollOnly: true, Store: filestest.NewMemory(), IdleClose: time.Hour},
		}, &waiters{w.Sink, time.Now().Add(90 * time.Minute)})
		require.NoError(w, err)
		require.NoError(w, polled.Start(w.Context()))
		closed := func() (all []tail.CloseReason) {
			for _, s := range w.Sink.Opened() {
				all = append(all, s.Closed...)
			}
			return all
		}
		w.Pass(149 * time.Minute)
		require.Len(w, w.Sink.Opened(), 2)
		assert.Empty(w, closed())
		w.Pass(2 * time.Minute)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonIdle, tail.CloseReasonIdle}, closed())
		require.NoError(w, polled.Shutdown(w.Context()))
	})
}

func TestPolledSettings(t *testing.T) {
	_, err := poll.New(poll.Settings{Documents: []string{"["}, Databases: []string{"{a"}, MaxDocumentSize: -1}, filestest.NewSink())
	for _, want := range []string{`"["`, `"{a"`, "max_document_size must not be negative, got -1"} {
		assert.ErrorContains(t, err, want)
	}
	_, err = poll.New(poll.Settings{}, nil)
	require.Error(t, err)
	p, err := poll.New(poll.Settings{Documents: []string{"/runs/*.jsonl"}, IsDocument: isJSON}, filestest.NewSink())
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context()))
	require.Error(t, p.Start(t.Context()))
	require.NoError(t, p.Shutdown(t.Context()))
	require.NoError(t, p.Shutdown(t.Context()))
}

func TestMayBe(t *testing.T) {
	for pattern, want := range map[string]bool{
		"/a/*.json": true, "/a/session-*.json": true, "/a/**": true, "/a/*": true, "/a/*.{json,jsonl}": true, "/a/x.json": true, "/a/*n": true, "/a/*.gz": true,
		"/a/*.jsonl": false, "/a/**/*.jsonl.gz": false, "/a/x.jsonl": false, "/a/rollout-*.log": false,
	} {
		assert.Equal(t, want, poll.MayBe(pattern, isJSON), pattern)
	}
}

func TestInFolders(t *testing.T) {
	got := poll.InFolders([]string{"/a/**", "/b/**/*.db", "~/c/opencode.db", "/d/*.jsonl", "/e/*", "opencode.*"}, "opencode.db")
	assert.Equal(t, []string{"/a/**/opencode.db", "/b/**/opencode.db", "~/c/opencode.db", "/e/opencode.db", "opencode.db"}, got)
}

// TestDocumentsAndDatabasesCount: descriptors of documents and databases close idle files of the same receiver.
func TestDocumentsAndDatabasesCount(t *testing.T) {
	w := &polledFolder{Folder: filestest.NewFolder(t)}
	shared := openfile.NewDescriptorsOf(4)
	for i := range 4 {
		w.Add(fmt.Sprintf("%d.jsonl", i), filestest.Record(i)+"\n")
	}
	open := make(chan int, 100)
	settings := tail.Settings{Include: []string{w.Path("**/*.jsonl")}, Descriptors: shared, PollInterval: 20 * time.Millisecond}
	settings.Observer.Files = func(_, kept int) { open <- kept }
	files, err := tail.New(settings, w.Sink)
	require.NoError(t, err)
	require.NoError(t, files.Start(t.Context()))
	t.Cleanup(func() { assert.NoError(t, files.Shutdown(context.WithoutCancel(t.Context()))) })
	w.Sink.Until(t, "the files", func() bool { return len(w.Sink.All()) == 4 })
	require.True(t, comes(open, 4))

	db := openDatabase(t, w.Path("opencode.db"))
	insert(t, db, "session", "id, time_created, time_updated", "s0", 1, 1)
	w.Sink.Mu.Lock()
	w.Sink.Accept = func(tail.Stream, []tail.Line) error { // during a scan of the database, which holds three
		if !comes(open, 1) {
			t.Error("idle files stay open")
		}
		return nil
	}
	w.Sink.Mu.Unlock()
	w.follow(func(s *poll.Settings) { s.Shared.Descriptors = shared })
	w.Sink.Until(t, "the row", func() bool { return len(w.Sink.All()) == 5 })
}

// TestIgnoreOlderDocuments: an old document is delivered when it changes.
func TestIgnoreOlderDocuments(t *testing.T) {
	inBubble(t, func(w *polledFolder) {
		w.Put("old.json", `{"n":1}`)
		w.Dated("old.json", 25*time.Hour)
		w.Put("young.json", `{"n":2}`)
		w.Dated("young.json", 23*time.Hour)
		w.follow(func(s *poll.Settings) { s.Shared.ExcludeOlderThan = 24 * time.Hour })
		w.Pass(2 * time.Hour)
		assert.Equal(w, []string{`{"n":2}`}, w.Sink.All())
		w.write("old.json", `{"n":3}`)
		w.Pass(time.Minute)
		assert.Equal(w, []string{`{"n":2}`, `{"n":3}`}, w.Sink.Sorted())
		w.finish()
	})
}

// TestNewDocumentBesideALargeDatabase is read before all rows of the database are.
// TestNewFolders holds that a document is found in folders that did not exist at the start, long before the next scan.
func TestNewFolders(t *testing.T) {
	w := &polledFolder{Folder: filestest.NewFolder(t)}
	w.follow(func(s *poll.Settings) {
		s.Documents, s.Databases = []string{w.Path("one/two/*.json")}, []string{w.Path("three/four/opencode*.db")}
		s.Shared.PollOnly, s.Shared.PollInterval = false, time.Hour
	})
	w.Mkdir("one")
	w.Mkdir("one/two")
	w.Put("one/two/new.json", `{"n":1}`)
	w.Sink.Until(t, "the document", func() bool { return len(w.Sink.All()) == 1 })
	w.Mkdir("three")
	w.Mkdir("three/four")
	w.Put("three/four/opencode.db", "") // as SQLite creates it
	db := openDatabase(t, w.Path("three/four/opencode.db"))
	insert(t, db, "session", "id, time_created, time_updated", "s0", 1, 1)
	w.Sink.Until(t, "the session", func() bool { return len(w.Sink.All()) == 2 })
}

func TestNewDocumentBesideALargeDatabase(t *testing.T) {
	w := &polledFolder{Folder: filestest.NewFolder(t)}
	db := openDatabase(t, w.Path("opencode.db"))
	const rows = 2000
	insert(t, db, "session", "id, time_created, time_updated", "s0", 1, 1)
	for i := range rows - 1 {
		insert(t, db, "message", "id, session_id, time_created, time_updated, data", fmt.Sprintf("m%04d", i), "s0", 2, 2, "{}")
	}
	delivered := 0
	before := make(chan int, 1) // the document
	w.Sink.Mu.Lock()
	w.Sink.Accept = func(s tail.Stream, _ []tail.Line) error {
		if s.Name == "new.json" {
			before <- delivered
			return nil
		}
		if delivered++; delivered == 1 {
			w.Put("new.json", `{"n":1}`)
		}
		return nil
	}
	w.Sink.Mu.Unlock()
	w.follow(func(s *poll.Settings) { s.Shared.BatchLines, s.Shared.PollInterval = 1, time.Microsecond })
	w.Sink.Until(t, "all lines", func() bool { return len(w.Sink.All()) == rows+1 })
	assert.Less(t, <-before, rows)
}
