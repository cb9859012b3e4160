package discover

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/tailspan/tailspan/internal/files/fingerprint"
)

// watchPause is how long no folder is added after the system refused one: a retry does not change the limits of watches and
// open files.
const watchPause = time.Minute

// errWatchBudget means that the system opens each file of a watched folder and too many would be open.
var errWatchBudget = errors.New("too many files in watched folders")

// Notifier is the part of fsnotify that the Watcher uses.
type Notifier interface {
	Add(path string) error
	Remove(path string) error
	Close() error
}

// Watcher receives file system events of folders. A nil Watcher watches nothing.
//
// inotify (through fsnotify v1.10.1) watches inodes and reports events under the path by which an inode was first added. After
// a rename that path is wrong for the folder and everything below it, and adding the new path has no effect as long as the
// inode is watched. Folders are therefore kept by path and by inode, and an inode that appears under another path is removed
// first.
type Watcher struct {
	Notify      Notifier
	Events      <-chan fsnotify.Event
	Errors      <-chan error
	cannotWatch func(folder string, err error)

	mu      sync.Mutex
	folders map[string]watched
	paths   map[fingerprint.FileID]string // the keys of folders
	cost    int
	refused map[string]struct{} // requested but not watched
	pause   time.Time           // until then, no folder is added
}

// watched is a watched folder.
type watched struct {
	id   fingerprint.FileID
	cost int // files that the system opened for it
}

// NewWatcherFunc is the type of [NewWatcher].
type NewWatcherFunc func(cannotWatch func(folder string, err error)) (*Watcher, error)

// NewWatcher returns a watcher that calls cannotWatch for a folder that can't be watched.
func NewWatcher(cannotWatch func(folder string, err error)) (*Watcher, error) {
	n, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch folders: %w", err)
	}
	return &Watcher{
		Notify: n, Events: n.Events, Errors: n.Errors, cannotWatch: cannotWatch,
		folders: map[string]watched{}, paths: map[fingerprint.FileID]string{}, refused: map[string]struct{}{},
	}, nil
}

// Add watches a folder unless it is already watched.
func (w *Watcher) Add(folder string) {
	if w == nil {
		return
	}
	info, err := os.Stat(folder)
	if err != nil {
		return // listing it reports the error
	}
	id, _ := fingerprint.IDOf(info)
	w.mu.Lock()
	defer w.mu.Unlock()
	if known, ok := w.folders[folder]; ok {
		if known.id == id {
			return
		}
		w.unwatchLocked(folder)
	}
	if other, ok := w.paths[id]; ok && id != (fingerprint.FileID{}) {
		if fingerprint.LeadsTo(other, id) {
			return // a link to the same folder: its events arrive under the first path
		}
		w.unwatchLocked(other)
	}
	if time.Now().Before(w.pause) {
		w.refused[folder] = struct{}{}
		return
	}
	cost, err := w.costOf(folder)
	if err == nil {
		err = w.Notify.Add(folder)
	}
	switch {
	case err == nil:
		delete(w.refused, folder)
		w.folders[folder] = watched{id, cost}
		w.paths[id] = folder
		w.cost += cost
	case errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, fs.ErrPermission):
		w.refused[folder] = struct{}{} // only this folder is affected, not a limit; listing it reports the error
	default:
		w.refused[folder] = struct{}{}
		w.pause = time.Now().Add(watchPause)
		w.cannotWatch(folder, err)
	}
}

// AddNearest watches a folder or, if it does not exist yet, the nearest existing folder above it, to see its creation.
func (w *Watcher) AddNearest(folder string) {
	for !IsFolder(folder) {
		above := filepath.Dir(folder)
		if above == folder {
			return
		}
		folder = above
	}
	w.Add(folder)
}

// costOf returns how many files the system would open to watch a folder, on systems that open files for that.
func (w *Watcher) costOf(folder string) (int, error) {
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

// Unwatch removes a removed or renamed folder and the folders below it. It reports whether the folder was watched.
func (w *Watcher) Unwatch(folder string) bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.refused, folder)
	_, ok := w.folders[folder]
	if ok {
		w.unwatchLocked(folder)
	}
	return ok
}

func (w *Watcher) unwatchLocked(folder string) {
	below := folder + string(filepath.Separator)
	for path, known := range w.folders {
		if path != folder && !strings.HasPrefix(path, below) {
			continue
		}
		w.cost -= known.cost
		delete(w.folders, path)
		if w.paths[known.id] == path {
			delete(w.paths, known.id)
		}
		_ = w.Notify.Remove(path) // for a removed folder the system already did so
	}
}

// Whole reports whether all existing folders are watched.
func (w *Watcher) Whole() bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.refused, func(folder string, _ struct{}) bool { return !IsFolder(folder) }) // no event reports removed folders
	return len(w.refused) == 0
}

// Close stops watching.
func (w *Watcher) Close() error {
	if w == nil {
		return nil
	}
	if err := w.Notify.Close(); err != nil {
		return fmt.Errorf("stop watching folders: %w", err)
	}
	return nil
}
