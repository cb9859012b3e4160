package poll

import (
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/openfile"
)

// Seams: file systems that fail, and systems that watch no folder.

// MayBe is tested by itself, since a pattern that is scanned in vain costs only time.
var MayBe = mayBe

// SetOpen replaces what opens documents.
func (p *Poller) SetOpen(open openfile.Opener) { p.openFile = open }

// SetNewWatcher replaces what makes the watcher.
func (p *Poller) SetNewWatcher(make func(refused func(string, error)) (*discover.Watcher, error)) {
	p.newWatcher = make
}
