package agentrenderexporter

import (
	"bytes"
	"container/list"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/tailspan/tailspan/exporter/agentrenderexporter/internal/logfile"
	"github.com/tailspan/tailspan/render"
)

// maxIdleBuffer is the largest buffer that is kept between batches, in bytes.
const maxIdleBuffer = 1 << 20

// outlet is one output and the text rendered for it. Its log is shared by all sessions whose records go there.
type outlet struct {
	path    string
	open    openFunc
	log     *render.Log
	streams int   // open streams of the log
	records int64 // rendered since the last write
	refused bool  // the unsafe path was logged
	touched bool  // in outlets.touched

	mu       sync.Mutex
	batching bool         // a batch is being rendered, and text waits for its end
	pending  bytes.Buffer // rendered but not written yet
	out      io.WriteCloser
	lost     error         // from closing an output that a timer opened
	element  *list.Element // in outlets.open while the output is open
}

// Write accepts rendered text from the log. Text from a timer, between two batches, is written at once; if that fails, it
// remains, and the next batch reports the error.
func (o *outlet) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending.Write(p) // a bytes.Buffer never fails
	if !o.batching {
		o.writeNowLocked()
	}
	return len(p), nil
}

// writeNowLocked writes pending text, opening the output just for that if necessary.
func (o *outlet) writeNowLocked() {
	if o.out != nil {
		_ = o.flushLocked()
		return
	}
	out, err := o.open(o.path)
	if err != nil {
		return
	}
	o.out = out
	_ = o.flushLocked()
	o.out = nil
	if err := out.Close(); err != nil {
		o.lost = fmt.Errorf("close output %q: %w", o.path, err)
	}
}

// begin marks the beginning of a batch.
func (o *outlet) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.batching = true
}

// flush ends a batch and writes what was rendered. After a failure the unwritten part remains.
func (o *outlet) flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.batching = false
	lost := o.lost
	o.lost = nil
	return errors.Join(lost, o.flushLocked())
}

func (o *outlet) flushLocked() error {
	if o.pending.Len() == 0 {
		return nil
	}
	if err := o.returnLocked(); err != nil {
		return err
	}
	n, err := o.out.Write(o.pending.Bytes())
	o.pending.Next(n)
	if err == nil && o.pending.Len() > 0 {
		err = io.ErrShortWrite
	}
	if err != nil {
		return fmt.Errorf("write output %q: %w", o.path, err)
	}
	if o.pending.Cap() > maxIdleBuffer {
		o.pending = bytes.Buffer{}
	}
	return nil
}

// returnLocked reopens the output if its path no longer leads to it.
func (o *outlet) returnLocked() error {
	if p, ok := o.out.(placed); !ok || !p.Moved() {
		return nil
	}
	out, err := o.open(o.path)
	if err != nil {
		return err
	}
	old := o.out
	o.out = out
	if err := old.Close(); err != nil {
		return fmt.Errorf("close output %q: %w", o.path, err)
	}
	return nil
}

// idle reports whether nothing is pending.
func (o *outlet) idle() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.pending.Len() == 0 && o.lost == nil
}

// setOutput sets the open output of the outlet, or nil once it is closed.
func (o *outlet) setOutput(out io.WriteCloser) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.out = out
}

// discard drops rendered but unwritten text, and returns the number of its records.
func (o *outlet) discard() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending = bytes.Buffer{}
	records := o.records
	o.records = 0
	return records
}

// outlets are the outputs by path. At most limit files are open; a closed one is reopened when there is something to write.
type outlets struct {
	settings render.LogSettings
	openFile openFunc
	limit    int
	refused  func(o *outlet, records int64, err error) // called when an outlet's path is unsafe and its text is dropped
	byPath   map[string]*outlet
	open     *list.List // of *outlet, most recently used first
	touched  []*outlet  // in this batch
}

func newOutlets(settings render.LogSettings, open openFunc, limit int) *outlets {
	return &outlets{settings: settings, openFile: open, limit: limit, byPath: map[string]*outlet{}, open: list.New()}
}

// of returns the outlet of a path and marks it as part of this batch.
func (a *outlets) of(path string) *outlet {
	o, ok := a.byPath[path]
	if !ok {
		o = &outlet{path: path, open: a.openFile}
		o.log = render.NewLog(o, a.settings)
		a.byPath[path] = o
	}
	a.touch(o)
	return o
}

// openNow opens the output of a path before there is something to write.
func (a *outlets) openNow(path string) error {
	out, err := a.openFile(path)
	if err != nil {
		return err
	}
	o := &outlet{path: path, open: a.openFile, out: out}
	o.log = render.NewLog(o, a.settings)
	o.element = a.open.PushFront(o)
	a.byPath[path] = o
	return nil
}

// touch marks an outlet as part of this batch.
func (a *outlets) touch(o *outlet) {
	if o.touched {
		return
	}
	o.touched = true
	a.touched = append(a.touched, o)
	o.begin()
}

// touchWaiting marks the outlets with text from a timer that could not be written.
func (a *outlets) touchWaiting() {
	for _, o := range a.byPath {
		if !o.idle() {
			a.touch(o)
		}
	}
}

// flush writes the text rendered for every outlet of this batch, and what an earlier failure left. Outlets that failed stay
// touched.
func (a *outlets) flush() error {
	var errs error
	failed := a.touched[:0]
	for _, o := range a.touched {
		err := a.makeOpen(o)
		if err == nil {
			err = o.flush()
		}
		if err = a.refuse(o, err); err != nil {
			errs = errors.Join(errs, err)
			failed = append(failed, o)
			continue
		}
		o.touched, o.records = false, 0
		if o.streams == 0 && o.element == nil {
			delete(a.byPath, o.path)
		}
	}
	clear(a.touched[len(failed):])
	a.touched = failed
	return errs
}

// refuse drops the text rendered for an outlet whose path is unsafe, because whoever put a link there must not keep the others
// from being written. It returns any other error.
func (a *outlets) refuse(o *outlet, err error) error {
	if !errors.Is(err, logfile.ErrNotRegular) {
		return err
	}
	a.refused(o, o.discard(), err)
	o.refused = true
	return nil
}

// makeOpen opens an outlet's output if there is something to write, and closes the least recently used one beyond the limit.
func (a *outlets) makeOpen(o *outlet) error {
	if o.element != nil {
		a.open.MoveToFront(o.element)
		return nil
	}
	if o.idle() {
		return nil
	}
	for a.open.Len() >= a.limit {
		if err := a.close(a.open.Back().Value.(*outlet)); err != nil {
			return err
		}
	}
	out, err := a.openFile(o.path)
	if err != nil {
		return err
	}
	o.setOutput(out)
	o.element = a.open.PushFront(o)
	return nil
}

// close writes pending text and closes the output of an outlet.
func (a *outlets) close(o *outlet) error {
	if err := a.refuse(o, o.flush()); err != nil {
		return err
	}
	out := o.out
	o.setOutput(nil)
	a.open.Remove(o.element)
	o.element = nil
	if o.streams == 0 {
		delete(a.byPath, o.path)
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("close output %q: %w", o.path, err)
	}
	return nil
}

// closeAll writes all pending text and closes every output, even if writing fails.
func (a *outlets) closeAll() error {
	a.touchWaiting()
	errs := a.flush()
	for e := a.open.Back(); e != nil; e = a.open.Back() {
		o := e.Value.(*outlet)
		a.open.Remove(e)
		o.element = nil
		out := o.out
		o.setOutput(nil)
		if err := out.Close(); err != nil {
			errs = errors.Join(errs, fmt.Errorf("close output %q: %w", o.path, err))
		}
	}
	return errs
}
