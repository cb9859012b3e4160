package poll

import (
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/openfile"
)

// Seams for file systems that fail, and systems that can't watch folders.

// MayBe is tested separately, because scanning for a useless pattern only costs time.
var MayBe = mayBe

// SetOpen replaces the function that opens documents.
func (p *Poller) SetOpen(open openfile.Opener) { p.openFile = open }

// SetNewWatcher replaces the function that creates the watcher.
func (p *Poller) SetNewWatcher(make func(refused func(string, error)) (*discover.Watcher, error)) {
	p.newWatcher = make
}
