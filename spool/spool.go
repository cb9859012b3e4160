package spool

import (
	crand "crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Settings says where a spool lies.
type Settings struct {
	// Dir is the folder of a spool that is removed after use; empty: the system's folder for temporary files.
	Dir string
	// Path, if set, is the name of a file that is kept. What it held before is lost.
	Path string
}

// Spool is a file that one writes and others read. See the package documentation.
type Spool struct {
	file *os.File // of the writer, appending
	read *os.File
	path string
	keep bool

	mu       sync.Mutex
	size     int64
	epoch    int // how often it was rewritten
	arrivals arrivals
	finished bool
	changed  chan struct{} // closed and made anew when something above changes

	stop    chan struct{} // ends the watching
	finish  sync.Once
	watcher sync.WaitGroup
}

// Create makes an empty spool.
func Create(s Settings) (*Spool, error) {
	file, err := create(s)
	if err != nil {
		return nil, fmt.Errorf("create spool: %w", err)
	}
	path := file.Name()
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	read, err := os.Open(path)
	if err != nil {
		err = errors.Join(err, file.Close())
		if s.Path == "" {
			err = errors.Join(err, os.Remove(path))
		}
		return nil, fmt.Errorf("open spool: %w", err)
	}
	if s.Path == "" {
		hold(file)
	}
	return &Spool{
		file: file, read: read, path: path, keep: s.Path != "",
		changed: make(chan struct{}), stop: make(chan struct{}),
	}, nil
}

// create opens the file for a writer that only ever appends, so that whoever truncates it leaves no hole.
func create(s Settings) (*os.File, error) {
	if s.Path == "" {
		dir := s.Dir
		if dir == "" {
			dir = os.TempDir()
		}
		// A name that never comes again: ids are made of it where the format of the stream has none.
		name := filepath.Join(dir, prefix+crand.Text()+ending)
		return os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	}
	// Not a pipe, which would block, and not a device: a spool is read again from the same file.
	if info, err := os.Stat(s.Path); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "create", Path: s.Path, Err: errNotRegular}
	}
	return os.OpenFile(s.Path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_TRUNC, 0o600)
}

var errNotRegular = errors.New("not a regular file")

// File is the end to write to, for a child process; nil for a spool that was left. It stays the spool's own.
func (s *Spool) File() *os.File { return s.file }

// Path is where the file is.
func (s *Spool) Path() string { return s.path }

// Name is the file's name without what all spools have in common.
func (s *Spool) Name() string {
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(s.path), prefix), ending)
}

// Size is how many bytes were seen so far.
func (s *Spool) Size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// Intervals between two polls of the size of a direct spool.
const (
	minLook = 5 * time.Millisecond
	maxLook = 50 * time.Millisecond
)

// Watch begins to poll the file's size, until [Spool.Finish].
func (s *Spool) Watch() {
	s.watcher.Go(func() {
		wait := minLook
		timer := time.NewTimer(wait)
		defer timer.Stop()
		for {
			select {
			case <-s.stop:
				return
			case <-timer.C:
			}
			if s.poll() {
				wait = minLook
			} else {
				wait = min(2*wait, maxLook)
			}
			timer.Reset(wait)
		}
	})
}

// poll updates the file's size, and reports whether it changed. A file whose stat fails is taken to be as it was:
// the handle is ours, so this is a matter of a network file system, and passes or shows in the read.
func (s *Spool) poll() bool {
	info, err := s.read.Stat()
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	size := info.Size()
	if size == s.size {
		return false
	}
	if size < s.size {
		s.epoch++
		s.arrivals = arrivals{}
	}
	s.size = size
	s.arrivals.add(size, time.Now())
	s.wake()
	return true
}

// wake has all tails check again. The lock is held.
func (s *Spool) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Finish marks the end of the input. What was written until now is read to its end.
func (s *Spool) Finish() {
	s.finish.Do(func() {
		close(s.stop)
		s.watcher.Wait()
		s.poll()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.finished = true
		s.wake()
	})
}

// Keep leaves the file where it is when the spool is closed.
func (s *Spool) Keep() { s.keep = true }

// Hide takes the file's name away, so that nothing is left of it however the process ends. Where the system can't do that
// it fails, and all is as it was.
func (s *Spool) Hide() error {
	if err := os.Remove(s.path); err != nil {
		return fmt.Errorf("hide spool: %w", err)
	}
	s.keep = true // there is nothing to remove
	return nil
}

// Close ends the use of the spool, after its tails, and removes the file unless it is to be kept.
func (s *Spool) Close() error {
	s.Finish()
	err := s.read.Close()
	if s.file != nil { // it is not there for one that was left
		err = errors.Join(err, s.file.Close())
	}
	if !s.keep {
		if removed := os.Remove(s.path); !errors.Is(removed, fs.ErrNotExist) {
			err = errors.Join(err, removed)
		}
	}
	if err != nil {
		return fmt.Errorf("close spool: %w", err)
	}
	return nil
}
