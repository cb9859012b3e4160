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

// FIFO reads from a named pipe, one writer after another. Concurrent writers count as one: their bytes are mixed, and the
// input ends when the last of them closes the pipe. So do consecutive writers if the next one opens the FIFO before the close
// of the previous one was noticed.
type FIFO struct {
	path string
	// timed is true if it polls, because the system does not report new bytes.
	timed bool

	// once is true if its first end is final, because there is no path to open again.
	once bool

	mu      sync.Mutex // guards file and stopped
	file    *os.File
	stopped chan struct{}
	writing atomic.Bool // a writer has written since the last end
	drained int         // bytes read since it was stopped
}

// OpenFIFO opens a named pipe without waiting for a writer.
func OpenFIFO(path string) (*FIFO, error) {
	file, err := openFIFO(path)
	if err != nil {
		return nil, err
	}
	return &FIFO{path: path, file: file, stopped: make(chan struct{})}, nil
}

func openFIFO(path string) (*os.File, error) {
	// A blocking open would wait for a writer, and its reads could not be interrupted.
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

// Intervals between polls of a FIFO for which the system does not report new bytes.
const (
	minFIFOLook = time.Millisecond
	maxFIFOLook = 50 * time.Millisecond
)

// maxDrained bounds what is read after a stop: more than the capacity of a pipe, but not everything from a writer that
// continues.
const maxDrained = 1 << 20

// Read returns what was written, or io.EOF when the last writer has closed the pipe.
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

// try reads once, after waiting for bytes if the system reports them. none is true if there are none for now; n = 0 without
// none means that the writers have closed the pipe.
func (f *FIFO) try(p []byte, stopped bool) (n int, none bool, err error) {
	f.mu.Lock()
	raw, err := f.file.SyscallConn()
	if stopped {
		_ = f.file.SetReadDeadline(time.Time{}) // otherwise the read would fail at once
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
		// 0 bytes without a writer that has written: the FIFO waits for its first writer.
		none = errors.Is(failed, syscall.EAGAIN) || failed == nil && n == 0 && !f.writing.Load()
		return !none || f.timed || stopped
	})
	switch {
	case n > 0:
		return n, false, nil
	case f.isStopped() && !stopped: // read once more what is available
		return 0, true, nil
	case none: // an error of raw means that the system can't report bytes, so poll
		f.timed = f.timed || err != nil
		return 0, true, nil
	case failed != nil:
		return 0, false, fmt.Errorf("read fifo: %w", failed)
	case err != nil:
		return 0, false, fmt.Errorf("read fifo: %w", err)
	}
	return 0, false, nil
}

// reopen opens the FIFO for the next writer and returns io.EOF. It opens the new handle before it closes the old one, so that
// nothing written in between is lost. If another FIFO is at the path by now, that one is opened.
func (f *FIFO) reopen() error {
	file, err := openFIFO(f.path)
	if err != nil {
		return errors.Join(io.EOF, err) // the next read of the closed pipe reports that
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

// Replaced reports whether something else is at the path and nobody writes to the open pipe, so that writers to the new one
// have no reader. Any goroutine may call it.
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

// Lasting reports whether there may be another writer.
func (f *FIFO) Lasting() bool { return !f.once }

// Stop ends the wait for input.
func (f *FIFO) Stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.isStopped() {
		return
	}
	close(f.stopped)
	_ = f.file.SetReadDeadline(time.Unix(1, 0)) // if this fails, the reader polls
}

// Close stops and closes the FIFO.
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
