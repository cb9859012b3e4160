package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"
)

// watchPause is how long no folder is added after the system refused one: the limits that it refuses for (watches a
// user may have, open files) don't change by asking again.
const watchPause = time.Minute

// errWatchBudget: the system opens each file of a watched folder, and too many would be open.
var errWatchBudget = errors.New("too many files in watched folders")

// notifier is what of fsnotify is used.
type notifier interface {
	Add(path string) error
	Remove(path string) error
	Close() error
}

// watcher has the system tell what happens in folders. A nil watcher watches nothing.
type watcher struct {
	notify notifier
	events <-chan fsnotify.Event
	errors <-chan error
	logger *zap.Logger
	told   *Observer

	mu       sync.Mutex
	folders  map[string]int // watched, with the files that it costs
	cost     int
	refused  map[string]struct{} // not watched, though asked for
	pause    time.Time           // no new folders before
	reported bool
}

func newWatcher(logger *zap.Logger, told *Observer) (*watcher, error) {
	n, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch folders: %w", err)
	}
	return &watcher{
		notify: n, events: n.Events, errors: n.Errors, logger: logger, told: told,
		folders: map[string]int{}, refused: map[string]struct{}{},
	}, nil
}

// add watches a folder, if it isn't watched.
func (w *watcher) add(folder string) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := w.folders[folder]; ok {
		return
	}
	if time.Now().Before(w.pause) {
		w.refused[folder] = struct{}{}
		return
	}
	cost, err := w.costOf(folder)
	if err == nil {
		err = w.notify.Add(folder)
	}
	switch {
	case err == nil:
		delete(w.refused, folder)
		w.folders[folder] = cost
		w.cost += cost
	case errors.Is(err, fs.ErrNotExist):
	default:
		w.refused[folder] = struct{}{}
		w.pause = time.Now().Add(watchPause)
		w.told.watchRefused(folder, err)
		w.report(folder, err)
	}
}

// costOf tells how many files the system would open to watch a folder, where it does such a thing.
func (w *watcher) costOf(folder string) (int, error) {
	if watchedFiles == 0 {
		return 0, nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return 0, err
	}
	if w.cost+len(entries)+1 > watchedFiles {
		return 0, errWatchBudget
	}
	return len(entries) + 1, nil
}

// report warns once: one folder that isn't watched is like the next.
func (w *watcher) report(folder string, err error) {
	if w.reported {
		return
	}
	w.reported = true
	w.logger.Warn("Some folders can't be watched and are polled; new lines are seen a poll_interval later. "+
		"On Linux raise fs.inotify.max_user_watches or fs.inotify.max_user_instances.",
		zap.String("folder", folder), zap.Error(err))
}

// forget is called when a folder is gone or has another name.
func (w *watcher) forget(folder string) bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.refused, folder)
	cost, ok := w.folders[folder]
	if ok {
		w.cost -= cost
		delete(w.folders, folder)
		_ = w.notify.Remove(folder) // the system has mostly done so
	}
	return ok
}

// whole tells whether all folders are watched.
func (w *watcher) whole() bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.refused) == 0
}

func (w *watcher) close() error {
	if w == nil {
		return nil
	}
	if err := w.notify.Close(); err != nil {
		return fmt.Errorf("stop watching folders: %w", err)
	}
	return nil
}
