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
// bytes come mixed, and they have gone away when the last of them has. So are writers of which the next one opens the FIFO
// before it was seen that the one before closed it.
type FIFO struct {
	path string
	// timed has it look now and then, where the system does not tell that bytes came.
	timed bool

	mu      sync.Mutex // of file, which a Close may close at any time
	file    *os.File
	closed  chan struct{}
	writing atomic.Bool // somebody has written since the last end
}

// OpenFIFO opens a named pipe. It waits for no writer.
func OpenFIFO(path string) (*FIFO, error) {
	file, err := openFIFO(path)
	if err != nil {
		return nil, err
	}
	return &FIFO{path: path, file: file, closed: make(chan struct{})}, nil
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

// Intervals of looks at a FIFO of which the system does not tell that bytes came.
const (
	minFIFOLook = time.Millisecond
	maxFIFOLook = 50 * time.Millisecond
)

// Read gives what was written; io.EOF when the last writer has gone away.
func (f *FIFO) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for wait := minFIFOLook; ; wait = min(2*wait, maxFIFOLook) {
		n, none, err := f.try(p)
		switch {
		case err != nil:
			return 0, err
		case n > 0:
			f.writing.Store(true)
			return n, nil
		case !none:
			f.writing.Store(false)
			return 0, f.reopen()
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-f.closed:
			timer.Stop()
			return 0, fmt.Errorf("read fifo: %w", os.ErrClosed)
		}
	}
}

// try reads once, after waiting for bytes where the system tells of them; none tells that there are none for now, n = 0
// without it that the writers are gone.
func (f *FIFO) try(p []byte) (n int, none bool, err error) {
	f.mu.Lock()
	raw, err := f.file.SyscallConn()
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
		return !none || f.timed
	})
	switch {
	case n > 0:
		return n, false, nil
	case f.isClosed():
		return 0, false, fmt.Errorf("read fifo: %w", os.ErrClosed)
	case none: // an error of raw is that the system can't tell: we look ourselves
		f.timed = f.timed || err != nil
		return 0, true, nil
	case failed != nil:
		return 0, false, fmt.Errorf("read fifo: %w", failed)
	case err != nil:
		return 0, false, fmt.Errorf("read fifo: %w", err)
	}
	return 0, false, nil
}

// reopen begins anew for the next writer, and gives io.EOF. The new one is opened before the old one is closed, so that
// what a writer wrote between is not lost; if the path holds another FIFO by now, that is the one.
func (f *FIFO) reopen() error {
	file, err := openFIFO(f.path)
	if err != nil {
		return errors.Join(io.EOF, err) // who reads on is told by the old one, whose writer is gone
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.isClosed() {
		return errors.Join(fmt.Errorf("read fifo: %w", os.ErrClosed), file.Close())
	}
	old := f.file
	f.file = file
	_ = old.Close() // it was only read
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

// Lasting is true: there may be a next writer.
func (f *FIFO) Lasting() bool { return true }

// Close ends the reading.
func (f *FIFO) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.isClosed() {
		return nil
	}
	close(f.closed)
	return f.file.Close()
}

func (f *FIFO) isClosed() bool {
	select {
	case <-f.closed:
		return true
	default:
		return false
	}
}
