package fileset

import (
	"container/list"
	"time"

	"github.com/tailspan/tailspan/internal/files/openfile"
)

// keepFor is how long the handle of a file that doesn't grow is kept.
const keepFor = time.Minute

// handles keeps files open that were read lately.
type handles struct {
	settings *Settings
	kept     *list.List // files with an open handle, the one read last at the front
}

// keep keeps the handle of a file that was just read, at the cost of the one read longest ago.
func (h *handles) keep(f *File) {
	if !f.stream.HasHandle() {
		h.closeHandle(f)
		return
	}
	if f.indexed.kept != nil {
		h.kept.MoveToFront(f.indexed.kept)
	} else {
		f.indexed.kept = h.kept.PushFront(f)
	}
	limit := h.settings.MaxOpenFiles
	if !openfile.KeepOpen {
		limit = 0
	}
	for e := h.kept.Back(); e != nil && (h.kept.Len() > max(0, limit) || h.settings.Descriptors.Over()); {
		old := e.Value.(*File)
		e = e.Prev()
		h.closeHandle(old)
	}
}

// CloseIdle closes files that no worker has, those read longest ago first: all of them if the system has no descriptors left,
// else until few enough are held.
func (h *handles) CloseIdle() {
	all := h.settings.Descriptors.TakeExhausted()
	for e := h.kept.Back(); e != nil && (all || h.settings.Descriptors.Over()); {
		f := e.Value.(*File)
		e = e.Prev()
		h.closeHandle(f)
	}
}

// closeHandle closes a file's handle, unless a worker has it.
func (h *handles) closeHandle(f *File) {
	if f.busy() {
		return
	}
	if f.indexed.kept != nil {
		h.kept.Remove(f.indexed.kept)
		f.indexed.kept = nil
	}
	if err := f.stream.CloseHandle(); err != nil {
		h.settings.Observer.Failed(f.path, err, 0)
	}
}
