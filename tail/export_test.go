package tail

import (
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/openfile"
)

// Seams: file systems that fail, and systems that watch no folder.

// SetOpen replaces what opens files.
func (f *Tailer) SetOpen(open openfile.Opener) { f.open = open }

// SetNewWatcher replaces what makes the watcher.
func (f *Tailer) SetNewWatcher(make func(refused func(string, error)) (*discover.Watcher, error)) {
	f.newWatcher = make
}

// WatchesAll reports whether all folders are watched.
func (f *Tailer) WatchesAll() bool { return f.watch.Whole() }
