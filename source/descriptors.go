package source

import (
	"errors"
	"math"
	"sync/atomic"
	"syscall"
)

// descriptorShare is the part of the process's file descriptors that the sources of a receiver may hold: the others are for
// connections of exporters, the storage, pipes and watches.
const descriptorShare = 4

// databaseDescriptors are those of a database during a scan: the file, its log, and the index to that.
const databaseDescriptors = 3

// Descriptors are the file descriptors that sources share. While they hold more than their part, or the system gives none, files
// that were kept open to be read on are closed.
type Descriptors struct {
	limit int64 // how many may be held before idle files are closed
	held  atomic.Int64
	// exhausted is true if the system gave none since idle files were closed last; wanted is signalled then, and when too many
	// are held.
	exhausted atomic.Bool
	wanted    chan struct{}
}

// NewDescriptors makes Descriptors with a quarter of the limit that the system has set for the process.
func NewDescriptors() *Descriptors { return newDescriptors(descriptorLimit() / descriptorShare) }

func newDescriptors(limit uint64) *Descriptors {
	return &Descriptors{limit: int64(min(limit, math.MaxInt64)), wanted: make(chan struct{}, 1)} //nolint:gosec // bounded
}

// over reports whether more are held than should be.
func (d *Descriptors) over() bool { return d.held.Load() > d.limit }

// add notes that n more are held, or fewer.
func (d *Descriptors) add(n int64) {
	d.held.Add(n)
	if n > 0 && d.over() {
		d.want()
	}
}

// want asks for idle files to be closed.
func (d *Descriptors) want() {
	select {
	case d.wanted <- struct{}{}:
	default:
	}
}

// exhaust asks for all idle files to be closed, as the system gives no descriptor.
func (d *Descriptors) exhaust() {
	d.exhausted.Store(true)
	d.want()
}

// noDescriptors reports whether an error is a lack of file descriptors, of the process or of the system.
func noDescriptors(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// counted returns an opener whose files count.
func (d *Descriptors) counted(open opener) opener {
	return func(path string) (handle, error) {
		h, err := open(path)
		if err != nil {
			if noDescriptors(err) {
				d.exhaust()
			}
			return h, err
		}
		d.add(1)
		return &countedHandle{handle: h, of: d}, nil
	}
}

// countedHandle is an open file that counts until it is closed.
type countedHandle struct {
	handle
	of *Descriptors
}

// Close closes the file. It is called once.
func (h *countedHandle) Close() error {
	err := h.handle.Close()
	h.of.add(-1)
	return err
}
