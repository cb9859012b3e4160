package tail

import (
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/openfile"
)

// Seams for file systems that fail, and systems that can't watch folders.

// SetOpen replaces the function that opens files.
func (t *Tailer) SetOpen(open openfile.Opener) { t.open = open }

// SetNewWatcher replaces the function that creates the watcher.
func (t *Tailer) SetNewWatcher(make func(refused func(string, error)) (*discover.Watcher, error)) {
	t.newWatcher = make
}

// WatchesAll reports whether all folders are watched.
func (t *Tailer) WatchesAll() bool { return t.watch.Whole() }
