package openfile

import (
	"errors"
	"math"
	"sync/atomic"
	"syscall"
)

// descriptorShare is the divisor of the process's file descriptors that the sources of a receiver may hold. The others are for
// connections of exporters, the storage, pipes and watches.
const descriptorShare = 4

// DatabaseDescriptors are those of a database during a scan: the file, its write-ahead log, and the index of that.
const DatabaseDescriptors = 3

// Descriptors counts the file descriptors that sources share. While they exceed their share, or the system has none left,
// files that were kept open for further reading are closed.
type Descriptors struct {
	limit int64 // how many may be held before idle files are closed
	held  atomic.Int64
	// exhausted is true if the system had none left since idle files were last closed. Wanted is signaled then, and when too
	// many are held.
	exhausted atomic.Bool
	Wanted    chan struct{}
}

// NewDescriptors returns Descriptors whose share is a quarter of the process limit.
func NewDescriptors() *Descriptors { return NewDescriptorsOf(descriptorLimit() / descriptorShare) }

func NewDescriptorsOf(limit uint64) *Descriptors {
	return &Descriptors{limit: int64(min(limit, math.MaxInt64)), Wanted: make(chan struct{}, 1)} //nolint:gosec // bounded
}

// Over reports whether more are held than the share allows.
func (d *Descriptors) Over() bool { return d.held.Load() > d.limit }

// Add records that n more are held, or fewer if n is negative.
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

// Exhaust asks for all idle files to be closed, because the system has no descriptor left.
func (d *Descriptors) Exhaust() {
	d.exhausted.Store(true)
	d.want()
}

// NoneLeft reports whether an error is a lack of file descriptors in the process or the system.
func NoneLeft(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// Counted returns an Opener whose open files are counted.
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

// countedHandle is an open file that is counted until it is closed.
type countedHandle struct {
	Handle
	of *Descriptors
}

// Close closes the file. Call it once.
func (h *countedHandle) Close() error {
	err := h.Handle.Close()
	h.of.Add(-1)
	return err
}

// Limit returns how many may be held before idle files are closed.
func (d *Descriptors) Limit() int64 { return d.limit }

// Held returns how many are held.
func (d *Descriptors) Held() int64 { return d.held.Load() }

// TakeExhausted reports whether the system ran out of descriptors since the last call.
func (d *Descriptors) TakeExhausted() bool { return d.exhausted.Swap(false) }
