package openfile

import (
	"errors"
	"math"
	"sync/atomic"
	"syscall"
)

// descriptorShare is the part of the process's file descriptors that the sources of a receiver may hold: the others are for
// connections of exporters, the storage, pipes and watches.
const descriptorShare = 4

// DatabaseDescriptors are those of a database during a scan: the file, its log, and the index to that.
const DatabaseDescriptors = 3

// Descriptors are the file descriptors that sources share. While they hold more than their part, or the system gives none, files
// that were kept open to be read on are closed.
type Descriptors struct {
	limit int64 // how many may be held before idle files are closed
	held  atomic.Int64
	// exhausted is true if the system had none left since idle files were closed last, Wanted is signalled then, and when too many
	// are held.
	exhausted atomic.Bool
	Wanted    chan struct{}
}

// NewDescriptors makes Descriptors with a quarter of the limit that the system has set for the process.
func NewDescriptors() *Descriptors { return NewDescriptorsOf(descriptorLimit() / descriptorShare) }

func NewDescriptorsOf(limit uint64) *Descriptors {
	return &Descriptors{limit: int64(min(limit, math.MaxInt64)), Wanted: make(chan struct{}, 1)} //nolint:gosec // bounded
}

// Over reports whether more are held than should be.
func (d *Descriptors) Over() bool { return d.held.Load() > d.limit }

// Add notes that n more are held, or fewer.
func (d *Descriptors) Add(n int64) {
	d.held.Add(n)
	if n > 0 && d.Over() {
		d.want()
	}
}

// want asks for idle files to be closed.
func (d *Descriptors) want() {
	select {
	case d.Wanted <- struct{}{}:
	default:
	}
}

// Exhaust asks for all idle files to be closed, as the system gives no descriptor.
func (d *Descriptors) Exhaust() {
	d.exhausted.Store(true)
	d.want()
}

// NoneLeft reports whether an error is a lack of file descriptors, of the process or of the system.
func NoneLeft(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// Counted returns an Opener whose files count.
func (d *Descriptors) Counted(open Opener) Opener {
	return func(path string) (Handle, error) {
		h, err := open(path)
		if err != nil {
			if NoneLeft(err) {
				d.Exhaust()
			}
			return h, err
		}
		d.Add(1)
		return &countedHandle{Handle: h, of: d}, nil
	}
}

// countedHandle is an open file that counts until it is closed.
type countedHandle struct {
	Handle
	of *Descriptors
}

// Close closes the file. It is called once.
func (h *countedHandle) Close() error {
	err := h.Handle.Close()
	h.of.Add(-1)
	return err
}

// Limit is how many may be held before idle files are closed.
func (d *Descriptors) Limit() int64 { return d.limit }

// Held is how many are held.
func (d *Descriptors) Held() int64 { return d.held.Load() }

// TakeExhausted reports whether the system had none left since the last call.
func (d *Descriptors) TakeExhausted() bool { return d.exhausted.Swap(false) }
