package fileset

import (
	"container/list"
	"time"

	"github.com/tailspan/tailspan/internal/files/openfile"
)

// keepFor is how long the handle of a file that no longer grows is kept.
const keepFor = time.Minute

// handles keeps recently read files open.
type handles struct {
	settings *Settings
	kept     *list.List // files with an open handle, most recently read first
}

// keep keeps the handle of a file that was just read. Over the limit it closes the least recently read ones.
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

// CloseIdle closes files that no worker has, least recently read first: all of them if the system has no descriptors left, or
// otherwise until few enough are held.
func (h *handles) CloseIdle() {
	all := h.settings.Descriptors.TakeExhausted()
	for e := h.kept.Back(); e != nil && (all || h.settings.Descriptors.Over()); {
		f := e.Value.(*File)
		e = e.Prev()
		h.closeHandle(f)
	}
}

// closeHandle closes a file's handle unless a worker has the file.
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
