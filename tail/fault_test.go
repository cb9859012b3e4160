package tail_test

import (
	"errors"
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
	"github.com/tailspan/tailspan/tail"
)

var errDisk error = syscall.EIO

// faults is a disk that fails some of the time.
type faults struct {
	mu    sync.Mutex
	opens int   // how many openings still fail
	why   error // they fail for
	reads int   // how many reads fail that go beyond limit
	limit int64 // bytes of a file that can be read without a fault
}

func (f *faults) open(path string) (openfile.Handle, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.opens > 0 {
		f.opens--
		return nil, &os.PathError{Op: "open", Path: path, Err: f.why}
	}
	h, err := openfile.Open(path)
	return faultyFile{h, f}, err
}

type faultyFile struct {
	openfile.Handle
	*faults
}

// ReadAt reads up to the fault, like a disk does.
func (h faultyFile) ReadAt(p []byte, offset int64) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.reads > 0 && offset+int64(len(p)) > h.limit {
		h.reads--
		n, err := h.Handle.ReadAt(p[:max(0, min(int64(len(p)), h.limit-offset))], offset)
		return n, errors.Join(errDisk, err)
	}
	return h.Handle.ReadAt(p, offset)
}

func TestFilesReadFails(t *testing.T) {
	lines, text := records(0, 40)
	for _, at := range []int64{0, 1, 100, fingerprint.HeadSize, fingerprint.HeadSize + 1, 2000, 4096, int64(len(text)) - 1} {
		t.Run(strconv.FormatInt(at, 10), func(t *testing.T) {
			bubble(t, func(w *world) {
				core, logs := observer.New(zap.WarnLevel)
				failed := 0
				f, err := tail.New(w.settings(pollOnly, func(s *tail.Settings) {
					s.BatchBytes, s.Logger = 1000, zap.New(core)
					s.Observer.Failed = func(_ string, err error, _ time.Duration) {
						failed++
						assert.ErrorIs(t, err, errDisk)
					}
				}), w.sink)
				require.NoError(w, err)
				f.SetOpen((&faults{reads: 5, limit: at}).open)
				w.add("a.jsonl", text)
				require.NoError(w, f.Start(w.Context()))
				w.files = f
				w.pass(10 * time.Minute)
				assert.Equal(w, lines, w.sink.all())
				oneStream(w)
				assert.Positive(w, failed)
				require.Positive(w, logs.Len())
				assert.Contains(w, logs.All()[0].ContextMap()["advice"], "check the disk")
			})
		})
	}
}

// TestFilesOpenFails: a file that can't be opened is tried again and read when it can be, others meanwhile; the log says
// once what to do.
func TestFilesOpenFails(t *testing.T) {
	for name, tt := range map[string]struct {
		why    error
		advice string
	}{
		"too many files": {syscall.EMFILE, "raise the limit of open files (ulimit -n)"},
		"no permission":  {syscall.EACCES, "let the user that this process runs as read the file and enter its folders, or leave it out by exclude"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(w *world) {
				core, logs := observer.New(zap.WarnLevel)
				failed := 0
				f, err := tail.New(w.settings(pollOnly, func(s *tail.Settings) {
					s.Logger, s.MaxConcurrentFiles = zap.New(core), 1
					s.Observer.Failed = func(string, error, time.Duration) { failed++ }
				}), w.sink)
				require.NoError(w, err)
				disk := &faults{opens: 9, why: tt.why}
				f.SetOpen(func(path string) (openfile.Handle, error) {
					if path == w.path("b.jsonl") {
						return openfile.Open(path)
					}
					return disk.open(path)
				})
				w.add("a.jsonl", "one\n")
				w.add("b.jsonl", "two\n")
				require.NoError(w, f.Start(w.Context()))
				w.files = f
				w.pass(100 * time.Millisecond)
				assert.Equal(w, []string{"two"}, w.sink.all())
				w.pass(time.Minute)
				assert.Equal(w, []string{"two", "one"}, w.sink.all())
				assert.Equal(w, 9, failed)
				require.Equal(w, 1, logs.Len())
				told := logs.All()[0].ContextMap()
				assert.Equal(w, w.path("a.jsonl"), told["path"])
				assert.Equal(w, tt.advice, told["advice"])
				w.end()
			})
		})
	}
}

// A file that is renamed just before it is opened is gone from there, which is nothing to complain of.
func TestFilesGoneBeforeTheyAreOpened(t *testing.T) {
	bubble(t, func(w *world) {
		core, logs := observer.New(zap.WarnLevel)
		failed := 0
		f, err := tail.New(w.settings(pollOnly, func(s *tail.Settings) {
			s.Logger = zap.New(core)
			s.Observer.Failed = func(string, error, time.Duration) { failed++ }
		}), w.sink)
		require.NoError(w, err)
		var once sync.Once
		f.SetOpen(func(path string) (openfile.Handle, error) {
			once.Do(func() { w.rename("a.jsonl", "b.jsonl") })
			return openfile.Open(path)
		})
		w.add("a.jsonl", "one\n")
		require.NoError(w, f.Start(w.Context()))
		w.files = f
		w.pass(time.Minute)
		assert.Equal(w, []string{"one"}, w.sink.all())
		assert.Zero(w, failed)
		assert.Empty(w, logs.All())
		w.end()
	})
}

// A file that was there at start and could not be opened then is read from where it ended at start, although it has grown
// and was looked at meanwhile.
func TestFilesStartAtEndOpenedLate(t *testing.T) {
	bubble(t, func(w *world) {
		f, err := tail.New(w.settings(pollOnly, startAtEnd), w.sink)
		require.NoError(w, err)
		f.SetOpen((&faults{opens: 6, why: syscall.EMFILE}).open)
		w.add("a.jsonl", record(1)+"\n")
		require.NoError(w, f.Start(w.Context()))
		w.files = f
		for i := range 3 {
			w.add("a.jsonl", record(i+2)+"\n")
			w.pass(2 * time.Second)
		}
		w.pass(time.Hour)
		assert.Equal(w, []string{record(2), record(3), record(4)}, w.sink.all())
		w.end()
	})
}

func TestFilesPermissionDenied(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("no file can be made unreadable for this user; TestFilesOpenFails does as if")
	}
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.add("a.jsonl", "one\n")
		require.NoError(w, os.Chmod(w.path("a.jsonl"), 0))
		w.add("b.jsonl", "two\n")
		w.mkdir("shut")
		w.add("shut/c.jsonl", "three\n")
		require.NoError(w, os.Chmod(w.path("shut"), 0))
		w.Cleanup(func() { _ = os.Chmod(w.path("shut"), 0o700) }) //nolint:gosec // as it was made
		core, logs := observer.New(zap.WarnLevel)
		polls := false
		w.begin(poll, func(s *tail.Settings) { s.Logger, polls = zap.New(core), s.PollOnly })
		w.sink.wantLines(w.T, "two")
		require.NoError(w, os.Chmod(w.path("a.jsonl"), 0o600))
		w.sink.wantLines(w.T, "two", "one")
		if !polls {
			return // what becomes of a folder that can't be entered no event tells
		}
		require.NoError(w, os.Chmod(w.path("shut"), 0o700)) //nolint:gosec // as it was made
		w.sink.wantLines(w.T, "two", "one", "three")
		advice := map[string]any{}
		for _, one := range logs.FilterMessageSnippet("is not readable").All() {
			assert.NotContains(w, advice, one.ContextMap()["path"], "once each")
			advice[one.ContextMap()["path"].(string)] = one.ContextMap()["advice"]
		}
		assert.Len(w, advice, 2)
		assert.NotEmpty(w, advice[w.path("a.jsonl")])
		assert.NotEmpty(w, advice[w.path("shut")])
	})
}

// refusing is a discover.Notifier of a system that has no watches left.
type refusing struct {
	discover.Notifier
	left int
}

func (r *refusing) Add(path string) error {
	if r.left--; r.left < 0 {
		return syscall.ENOSPC
	}
	return r.Notifier.Add(path)
}

// closed is a discover.Notifier of a system that lets nobody look into one folder.
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

// TestFilesOneFolderIsClosed: a folder that nobody may look into keeps no other from being watched.
func TestFilesOneFolderIsClosed(t *testing.T) {
	core, logs := observer.New(zap.WarnLevel)
	w := newWorld(t)
	for _, folder := range []string{"a", "closed", "z"} {
		w.mkdir(folder)
	}
	f, err := tail.New(w.settings(func(s *tail.Settings) {
		s.PollInterval, s.Logger = time.Hour, zap.New(core) // only events can make the test pass in time
	}), w.sink)
	require.NoError(t, err)
	f.SetNewWatcher(func(refused func(string, error)) (*discover.Watcher, error) {
		n, err := discover.NewWatcher(refused)
		if err == nil {
			n.Notify = &closed{n.Notify, w.path("closed")}
		}
		return n, err
	})
	require.NoError(t, f.Start(t.Context()))
	w.files = f
	w.Cleanup(w.end)
	w.add("z/one.jsonl", "one\n")
	w.sink.wantLines(t, "one")
	w.mkdir("z/later")
	w.add("z/later/two.jsonl", "two\n")
	w.sink.until(t, "a line in a new folder", func() bool { return len(w.sink.all()) == 2 })
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
	}), w.sink)
	require.NoError(t, err)
	f.SetNewWatcher(func(refused func(string, error)) (*discover.Watcher, error) {
		w, err := discover.NewWatcher(refused)
		if err == nil {
			w.Notify = &refusing{w.Notify, 2}
		}
		return w, err
	})
	var want []string
	for i := range 10 {
		w.mkdir(strconv.Itoa(i))
		w.add(fmt.Sprintf("%d/a.jsonl", i), record(i)+"\n")
		want = append(want, record(i))
	}
	require.NoError(t, f.Start(t.Context()))
	w.files = f
	for i := range 10 {
		w.add(fmt.Sprintf("%d/a.jsonl", i), record(i+10)+"\n")
		want = append(want, record(i+10))
	}
	w.sink.until(t, "20 lines", func() bool { return len(w.sink.all()) >= 20 })
	assert.Equal(t, sorted(want), w.sink.sorted())
	w.end()
	assert.Equal(t, 1, logs.Len(), "one warning")
	assert.Len(t, refused, 1, "after one refusal no more is asked for at once")
}

// No instance of inotify is left: all is polled.
func TestFilesWatchingIsNotPossible(t *testing.T) {
	bubble(t, func(w *world) {
		core, logs := observer.New(zap.WarnLevel)
		f, err := tail.New(w.settings(func(s *tail.Settings) { s.Logger = zap.New(core) }), w.sink)
		require.NoError(w, err)
		f.SetNewWatcher(func(func(string, error)) (*discover.Watcher, error) { return nil, syscall.EMFILE })
		require.NoError(w, f.Start(w.Context()))
		w.files = f
		w.mkdir("a")
		w.add("a/a.jsonl", "one\n")
		w.pass(2 * time.Second)
		assert.Equal(w, []string{"one"}, w.sink.all())
		w.end()
		assert.Equal(w, 1, logs.Len())
	})
}

// The queue of events ran over: all files are looked at.
func TestFilesEventsAreLost(t *testing.T) {
	w := newWorld(t)
	f, err := tail.New(w.settings(func(s *tail.Settings) { s.PollInterval = time.Hour }), w.sink)
	require.NoError(t, err)
	lost := make(chan error)
	f.SetNewWatcher(func(refused func(string, error)) (*discover.Watcher, error) {
		w, err := discover.NewWatcher(refused)
		if err == nil {
			w.Events, w.Errors = nil, lost // no event comes through
		}
		return w, err
	})
	require.NoError(t, f.Start(t.Context()))
	w.files = f
	w.mkdir("a")
	w.add("a/a.jsonl", "one\n")
	lost <- fsnotify.ErrEventOverflow
	w.sink.wantLines(t, "one")
	w.end()
}

// TestFilesOneCannotBeReadAfterARestart: a known file that can't be read after a restart keeps no other that begins alike
// from being read.
func TestFilesOneCannotBeReadAfterARestart(t *testing.T) {
	bubble(t, func(w *world) {
		store := walking{newMemory()}
		lines, text := records(0, 40)
		w.add("a.jsonl", text)
		w.run(with(store))
		w.add("a.jsonl", "more of it\n")
		w.add("fork.jsonl", text+"of the fork\n")
		w.sink = newSink()
		files, err := tail.New(w.settings(with(store)), w.sink)
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
		w.pass(10 * time.Minute)
		assert.Contains(w, w.sink.all(), "of the fork")
		open.Store(true)
		w.pass(10 * time.Minute)
		w.end()
		fresh, _ := w.sink.newLines()
		assert.Equal(w, append(lines, "of the fork", "more of it"), fresh)
	})
}
