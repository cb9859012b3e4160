package tail

import (
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/openfile"
)

// Seams: file systems that fail, and systems that watch no folder.

// NewWatcher makes a watcher as a source does.
var NewWatcher = newWatcher

// SetOpen replaces what opens files.
func (f *Tailer) SetOpen(open openfile.Opener) { f.open = open }

// SetNewWatcher replaces what makes the watcher.
func (f *Tailer) SetNewWatcher(make func(*Settings) (*discover.Watcher, error)) { f.newWatcher = make }

// WatchesAll reports whether all folders are watched.
func (f *Tailer) WatchesAll() bool { return f.watch.Whole() }

// MayBe is tested by itself, since a pattern that is scanned in vain costs only time.
var MayBe = mayBe

// SetOpen replaces what opens documents.
func (p *Polled) SetOpen(open openfile.Opener) { p.openFile = open }

// SetNewWatcher replaces what makes the watcher.
func (p *Polled) SetNewWatcher(make func(*Settings) (*discover.Watcher, error)) { p.newWatcher = make }
