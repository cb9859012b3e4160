package tail_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

func TestFilesReadFails(t *testing.T) {
	lines, text := filestest.Records(0, 40)
	for _, at := range []int64{0, 1, 100, fingerprint.HeadSize, fingerprint.HeadSize + 1, 2000, 4096, int64(len(text)) - 1} {
		t.Run(strconv.FormatInt(at, 10), func(t *testing.T) {
			bubble(t, func(w *world) {
				core, logs := observer.New(zap.WarnLevel)
				failed := 0
				f, err := tail.New(w.settings(pollOnly, func(s *tail.Settings) {
					s.BatchBytes, s.Logger = 1000, zap.New(core)
					s.Observer.Failed = func(_ string, err error, _ time.Duration) {
						failed++
						assert.ErrorIs(t, err, filestest.ErrDisk)
					}
				}), w.Sink)
				require.NoError(w, err)
				f.SetOpen((&filestest.Faults{Reads: 5, Limit: at}).Open)
				w.Add("a.jsonl", text)
				require.NoError(w, f.Start(w.Context()))
				w.files = f
				w.Pass(10 * time.Minute)
				assert.Equal(w, lines, w.Sink.All())
				oneStream(w)
				assert.Positive(w, failed)
				require.Positive(w, logs.Len())
				assert.Contains(w, logs.All()[0].ContextMap()["advice"], "check the disk")
			})
		})
	}
}

// TestFilesOpenFails: a file that can't be opened is retried and eventually read, while others are read; the log contains the
// advice once.
func TestFilesOpenFails(t *testing.T) {
	for name, tt := range map[string]struct {
		why    error
		advice string
	}{
		"too many files": {syscall.EMFILE, "raise the limit of open files (ulimit -n)"},
		"no permission":  {syscall.EACCES, "grant the user of this process read access to the file and its folders, or add the file to exclude"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(w *world) {
				core, logs := observer.New(zap.WarnLevel)
				failed := 0
				f, err := tail.New(w.settings(pollOnly, func(s *tail.Settings) {
					s.Logger, s.MaxConcurrentFiles = zap.New(core), 1
					s.Observer.Failed = func(string, error, time.Duration) { failed++ }
				}), w.Sink)
				require.NoError(w, err)
				disk := &filestest.Faults{Opens: 9, Why: tt.why}
				f.SetOpen(func(path string) (openfile.Handle, error) {
					if path == w.Path("b.jsonl") {
						return openfile.Open(path)
					}
					return disk.Open(path)
				})
				w.Add("a.jsonl", "one\n")
				w.Add("b.jsonl", "two\n")
				require.NoError(w, f.Start(w.Context()))
				w.files = f
				w.Pass(100 * time.Millisecond)
				assert.Equal(w, []string{"two"}, w.Sink.All())
				w.Pass(time.Minute)
				assert.Equal(w, []string{"two", "one"}, w.Sink.All())
				assert.Equal(w, 9, failed)
				require.Equal(w, 1, logs.Len())
				logged := logs.All()[0].ContextMap()
				assert.Equal(w, w.Path("a.jsonl"), logged["path"])
				assert.Equal(w, tt.advice, logged["advice"])
				w.end()
			})
		})
	}
}

// A file that is renamed just before it is opened is missing there, which is not an error.
func TestFilesRemovedBeforeTheyAreOpened(t *testing.T) {
	bubble(t, func(w *world) {
		core, logs := observer.New(zap.WarnLevel)
		failed := 0
		f, err := tail.New(w.settings(pollOnly, func(s *tail.Settings) {
			s.Logger = zap.New(core)
			s.Observer.Failed = func(string, error, time.Duration) { failed++ }
		}), w.Sink)
		require.NoError(w, err)
		var once sync.Once
		f.SetOpen(func(path string) (openfile.Handle, error) {
			once.Do(func() { w.Rename("a.jsonl", "b.jsonl") })
			return openfile.Open(path)
		})
		w.Add("a.jsonl", "one\n")
		require.NoError(w, f.Start(w.Context()))
		w.files = f
		w.Pass(time.Minute)
		assert.Equal(w, []string{"one"}, w.Sink.All())
		assert.Zero(w, failed)
		assert.Empty(w, logs.All())
		w.end()
	})
}

// A file that existed at start but could not be opened then is read from its size at start, although it has grown and was
// scanned since.
func TestFilesStartAtEndOpenedLate(t *testing.T) {
	bubble(t, func(w *world) {
		f, err := tail.New(w.settings(pollOnly, startAtEnd), w.Sink)
		require.NoError(w, err)
		f.SetOpen((&filestest.Faults{Opens: 6, Why: syscall.EMFILE}).Open)
		w.Add("a.jsonl", filestest.Record(1)+"\n")
		require.NoError(w, f.Start(w.Context()))
		w.files = f
		for i := range 3 {
			w.Add("a.jsonl", filestest.Record(i+2)+"\n")
			w.Pass(2 * time.Second)
		}
		w.Pass(time.Hour)
		assert.Equal(w, []string{filestest.Record(2), filestest.Record(3), filestest.Record(4)}, w.Sink.All())
		w.end()
	})
}

func TestFilesPermissionDenied(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("no file can be made unreadable for this user; TestFilesOpenFails does as if")
	}
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.Add("a.jsonl", "one\n")
		require.NoError(w, os.Chmod(w.Path("a.jsonl"), 0))
		w.Add("b.jsonl", "two\n")
		w.Mkdir("shut")
		w.Add("shut/c.jsonl", "three\n")
		require.NoError(w, os.Chmod(w.Path("shut"), 0))
		w.Cleanup(func() { _ = os.Chmod(w.Path("shut"), 0o700) }) //nolint:gosec // as created
		core, logs := observer.New(zap.WarnLevel)
		polls := false
		w.begin(poll, func(s *tail.Settings) { s.Logger, polls = zap.New(core), s.PollOnly })
		w.Sink.WantLines(w.T, "two")
		require.NoError(w, os.Chmod(w.Path("a.jsonl"), 0o600))
		w.Sink.WantLines(w.T, "two", "one")
		if !polls {
			return // no event reports changes in an unreadable folder
		}
		require.NoError(w, os.Chmod(w.Path("shut"), 0o700)) //nolint:gosec // as created
		w.Sink.WantLines(w.T, "two", "one", "three")
		advice := map[string]any{}
		for _, one := range logs.FilterMessageSnippet("is not readable").All() {
			assert.NotContains(w, advice, one.ContextMap()["path"], "once each")
			advice[one.ContextMap()["path"].(string)] = one.ContextMap()["advice"]
		}
		assert.Len(w, advice, 2)
		assert.NotEmpty(w, advice[w.Path("a.jsonl")])
		assert.NotEmpty(w, advice[w.Path("shut")])
	})
}

// closed is a discover.Notifier of a system with one unreadable folder.
type closed struct {
	discover.Notifier
	folder string
}

func (c *closed) Add(path string) error {
	if path == c.folder {
		return syscall.EACCES
	}
	return c.Notifier.Add(path)
}

// TestFilesOneFolderIsClosed: an unreadable folder does not keep others from being watched.
func TestFilesOneFolderIsClosed(t *testing.T) {
	core, logs := observer.New(zap.WarnLevel)
	w := newWorld(t)
	for _, folder := range []string{"a", "closed", "z"} {
		w.Mkdir(folder)
	}
	f, err := tail.New(w.settings(func(s *tail.Settings) {
		s.PollInterval, s.Logger = time.Hour, zap.New(core) // only events can make the test pass in time
	}), w.Sink)
	require.NoError(t, err)
	f.SetNewWatcher(func(refused func(string, error)) (*discover.Watcher, error) {
		n, err := discover.NewWatcher(refused)
		if err == nil {
			n.Notify = &closed{n.Notify, w.Path("closed")}
		}
		return n, err
	})
	require.NoError(t, f.Start(t.Context()))
	w.files = f
	w.Cleanup(w.end)
	w.Add("z/one.jsonl", "one\n")
	w.Sink.WantLines(t, "one")
	w.Mkdir("z/later")
	w.Add("z/later/two.jsonl", "two\n")
	w.Sink.Until(t, "a line in a new folder", func() bool { return len(w.Sink.All()) == 2 })
	assert.Empty(t, logs.FilterMessageSnippet("folders can't be watched").All(), "no limit was reached")
	assert.False(t, f.WatchesAll(), "the closed folder is polled")
}

func TestFilesWatchesRunOut(t *testing.T) {
	core, logs := observer.New(zap.WarnLevel)
	w := newWorld(t)
	var refused []string
	f, err := tail.New(w.settings(func(s *tail.Settings) {
		s.PollInterval, s.Logger = 10*time.Millisecond, zap.New(core)
		s.Observer.WatchRefused = func(folder string, err error) {
			assert.ErrorIs(t, err, syscall.ENOSPC)
			refused = append(refused, folder)
		}
	}), w.Sink)
	require.NoError(t, err)
	f.SetNewWatcher(func(refused func(string, error)) (*discover.Watcher, error) {
		w, err := discover.NewWatcher(refused)
		if err == nil {
			w.Notify = &filestest.Refusing{Notifier: w.Notify, Left: 2}
		}
		return w, err
	})
	var want []string
	for i := range 10 {
		w.Mkdir(strconv.Itoa(i))
		w.Add(fmt.Sprintf("%d/a.jsonl", i), filestest.Record(i)+"\n")
		want = append(want, filestest.Record(i))
	}
	require.NoError(t, f.Start(t.Context()))
	w.files = f
	for i := range 10 {
		w.Add(fmt.Sprintf("%d/a.jsonl", i), filestest.Record(i+10)+"\n")
		want = append(want, filestest.Record(i+10))
	}
	w.Sink.Until(t, "20 lines", func() bool { return len(w.Sink.All()) >= 20 })
	assert.Equal(t, filestest.Sorted(want), w.Sink.Sorted())
	w.end()
	assert.Equal(t, 1, logs.Len(), "one warning")
	assert.Len(t, refused, 1, "after one refusal no more is asked for at once")
}

// No inotify instance is left: everything is polled.
func TestFilesWatchingIsNotPossible(t *testing.T) {
	bubble(t, func(w *world) {
		core, logs := observer.New(zap.WarnLevel)
		f, err := tail.New(w.settings(func(s *tail.Settings) { s.Logger = zap.New(core) }), w.Sink)
		require.NoError(w, err)
		f.SetNewWatcher(func(func(string, error)) (*discover.Watcher, error) { return nil, syscall.EMFILE })
		require.NoError(w, f.Start(w.Context()))
		w.files = f
		w.Mkdir("a")
		w.Add("a/a.jsonl", "one\n")
		w.Pass(2 * time.Second)
		assert.Equal(w, []string{"one"}, w.Sink.All())
		w.end()
		assert.Equal(w, 1, logs.Len())
	})
}

// The event queue overflowed: all files are scanned.
func TestFilesEventsAreLost(t *testing.T) {
	w := newWorld(t)
	f, err := tail.New(w.settings(func(s *tail.Settings) { s.PollInterval = time.Hour }), w.Sink)
	require.NoError(t, err)
	lost := make(chan error)
	f.SetNewWatcher(func(refused func(string, error)) (*discover.Watcher, error) {
		w, err := discover.NewWatcher(refused)
		if err == nil {
			w.Events, w.Errors = nil, lost // no event arrives
		}
		return w, err
	})
	require.NoError(t, f.Start(t.Context()))
	w.files = f
	w.Mkdir("a")
	w.Add("a/a.jsonl", "one\n")
	lost <- fsnotify.ErrEventOverflow
	w.Sink.WantLines(t, "one")
	w.end()
}

// TestFilesOneCannotBeReadAfterARestart: a known file that can't be read after a restart does not keep others that begin alike
// from being read.
func TestFilesOneCannotBeReadAfterARestart(t *testing.T) {
	bubble(t, func(w *world) {
		store := filestest.Walking{Memory: filestest.NewMemory()}
		lines, text := filestest.Records(0, 40)
		w.Add("a.jsonl", text)
		w.run(with(store))
		w.Add("a.jsonl", "more of it\n")
		w.Add("fork.jsonl", text+"of the fork\n")
		w.Sink = filestest.NewSink()
		files, err := tail.New(w.settings(with(store)), w.Sink)
		require.NoError(w, err)
		var open atomic.Bool
		files.SetOpen(func(path string) (openfile.Handle, error) {
			if !open.Load() && filepath.Base(path) == "a.jsonl" {
				return nil, &os.PathError{Op: "open", Path: path, Err: syscall.EACCES}
			}
			return openfile.Open(path)
		})
		require.NoError(w, files.Start(w.Context()))
		w.files = files
		w.Pass(10 * time.Minute)
		assert.Contains(w, w.Sink.All(), "of the fork")
		open.Store(true)
		w.Pass(10 * time.Minute)
		w.end()
		fresh, _ := w.Sink.NewLines()
		assert.Equal(w, append(lines, "of the fork", "more of it"), fresh)
	})
}
