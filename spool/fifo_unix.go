//go:build unix

package spool

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// FIFO reads what comes through a named pipe, from one writer after the other. Writers at the same time are one: their
// bytes come mixed, and the input ends when the last of them closes it. So are writers of which the next one opens the FIFO
// before it was seen that the one before closed it.
type FIFO struct {
	path string
	// timed is true if it polls, where the system does not report that bytes came.
	timed bool

	// once: its first end is the last; there is no path to open again.
	once bool

	mu      sync.Mutex // of file and stopped
	file    *os.File
	stopped chan struct{}
	writing atomic.Bool // somebody has written since the last end
	drained int         // since it was stopped
}

// OpenFIFO opens a named pipe. It waits for no writer.
func OpenFIFO(path string) (*FIFO, error) {
	file, err := openFIFO(path)
	if err != nil {
		return nil, err
	}
	return &FIFO{path: path, file: file, stopped: make(chan struct{})}, nil
}

func openFIFO(path string) (*os.File, error) {
	// Without blocking, or opening would wait for a writer and a read could not be ended.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open fifo: %w", err)
	}
	info, err := file.Stat()
	if err == nil && info.Mode()&fs.ModeNamedPipe == 0 {
		err = &fs.PathError{Op: "open", Path: path, Err: errNotFIFO}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// Intervals between polls of a FIFO of which the system does not report that bytes came.
const (
	minFIFOLook = time.Millisecond
	maxFIFOLook = 50 * time.Millisecond
)

// maxDrained is how much is read of what is there when the reading is stopped: more than a pipe holds, and not without end
// from a writer that goes on.
const maxDrained = 1 << 20

// Read returns what was written; io.EOF when the last writer has closed it.
func (f *FIFO) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for wait := minFIFOLook; ; wait = min(2*wait, maxFIFOLook) {
		stopped := f.isStopped()
		n, none, err := f.try(p, stopped)
		switch {
		case n > 0:
			f.writing.Store(true)
			if stopped {
				f.drained += n
			}
			return n, nil
		case stopped && (none || f.drained >= maxDrained):
			return 0, fmt.Errorf("read fifo: %w", os.ErrClosed)
		case err != nil:
			return 0, err
		case !none && f.once:
			return 0, io.EOF
		case !none:
			f.writing.Store(false)
			return 0, f.reopen()
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-f.stopped:
			timer.Stop()
		}
	}
}

// try reads once, after waiting for bytes where the system reports them; none is true if there are none for now, n = 0
// without it that the writers have closed it.
func (f *FIFO) try(p []byte, stopped bool) (n int, none bool, err error) {
	f.mu.Lock()
	raw, err := f.file.SyscallConn()
	if stopped {
		_ = f.file.SetReadDeadline(time.Time{}) // or no read would be tried
	}
	f.mu.Unlock()
	if err != nil {
		return 0, false, fmt.Errorf("read fifo: %w", err) // os.ErrClosed
	}
	var failed error
	err = raw.Read(func(fd uintptr) bool {
		for {
			n, failed = syscall.Read(int(fd), p)
			if !errors.Is(failed, syscall.EINTR) {
				break
			}
		}
		// 0 bytes without a writer that has written is a FIFO that waits for one.
		none = errors.Is(failed, syscall.EAGAIN) || failed == nil && n == 0 && !f.writing.Load()
		return !none || f.timed || stopped
	})
	switch {
	case n > 0:
		return n, false, nil
	case f.isStopped() && !stopped: // once more, for what is there
		return 0, true, nil
	case none: // an error of raw: the system can't report bytes, so poll
		f.timed = f.timed || err != nil
		return 0, true, nil
	case failed != nil:
		return 0, false, fmt.Errorf("read fifo: %w", failed)
	case err != nil:
		return 0, false, fmt.Errorf("read fifo: %w", err)
	}
	return 0, false, nil
}

// reopen opens the FIFO for the next writer, and returns io.EOF. The new one is opened before the old one is closed, so that
// what a writer wrote between is not lost; if the path holds another FIFO by now, that is the one.
func (f *FIFO) reopen() error {
	file, err := openFIFO(f.path)
	if err != nil {
		return errors.Join(io.EOF, err) // the old one, whose writer has closed it, reports that
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	old := f.file
	f.file = file
	_ = old.Close() // it was only read
	if f.isStopped() {
		_ = file.SetReadDeadline(time.Unix(1, 0))
	}
	return io.EOF
}

// Replaced reports whether the path holds something else by now and nobody writes to what was opened: whoever writes to the
// new one has no reader. It may be called by any goroutine.
func (f *FIFO) Replaced() bool {
	if f.writing.Load() {
		return false
	}
	f.mu.Lock()
	ours, err := f.file.Stat()
	f.mu.Unlock()
	if err != nil {
		return false // it is closed
	}
	there, err := os.Stat(f.path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(ours, there)
}

// Lasting reports whether there may be a next writer.
func (f *FIFO) Lasting() bool { return !f.once }

// Stop ends the waiting.
func (f *FIFO) Stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.isStopped() {
		return
	}
	close(f.stopped)
	_ = f.file.SetReadDeadline(time.Unix(1, 0)) // where it fails, the reader polls
}

// Close ends the use of it.
func (f *FIFO) Close() error {
	f.Stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.file.Close()
}

func (f *FIFO) isStopped() bool {
	select {
	case <-f.stopped:
		return true
	default:
		return false
	}
}
