package spool

import (
	crand "crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Settings configures where a spool is created.
type Settings struct {
	// Dir is the folder of a spool that is removed after use; empty: the system's temporary folder.
	Dir string
	// Path, if set, is the name of a file that is kept. Its previous content is lost. While it is the spool of another process, Create
	// returns [ErrLocked].
	Path string
}

// Spool is a file that one process writes while others read it. See the package documentation.
type Spool struct {
	file *os.File // of the writer, in append mode
	read *os.File
	path string
	keep bool

	mu       sync.Mutex
	size     int64
	epoch    int // how often it was rewritten
	lost     int64
	arrivals arrivals
	finished bool
	changed  chan struct{} // closed and replaced when a field above changes

	witness *witness      // of a direct spool; used by poll
	stop    chan struct{} // ends Watch
	finish  sync.Once
	watcher sync.WaitGroup
}

// Create returns an empty spool.
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
	if err == nil && s.Path != "" {
		if err = reuse(file, read); err != nil {
			err = errors.Join(&fs.PathError{Op: "create", Path: s.Path, Err: err}, read.Close())
		}
	}
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

// create opens the file in append mode, so that truncating it leaves no hole.
func create(s Settings) (*os.File, error) {
	if s.Path == "" {
		dir := s.Dir
		if dir == "" {
			dir = os.TempDir()
		}
		// The name is never used again: IDs derive from it if the format of the stream has none.
		name := filepath.Join(dir, prefix+crand.Text()+ending)
		return os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	}
	// A pipe would block, and a device can't be read again like a file.
	if info, err := os.Stat(s.Path); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "create", Path: s.Path, Err: errNotRegular}
	}
	return os.OpenFile(s.Path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
}

// reuse empties a file with a path of its own, unless it is the spool of another process. The lock is on our own handle, which no
// child inherits, so it ends with us.
func reuse(file, read *os.File) error {
	if err := reserve(read); err != nil {
		return err
	}
	return file.Truncate(0)
}

var errNotRegular = errors.New("not a regular file")

// File returns the file to write to, for a child process, or nil for a spool that was left. The spool still owns it.
func (s *Spool) File() *os.File { return s.file }

// Path returns the path of the file.
func (s *Spool) Path() string { return s.path }

// Name returns the file name without the prefix and suffix that all spools share.
func (s *Spool) Name() string {
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(s.path), prefix), ending)
}

// Size returns how many bytes were seen so far.
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

// Lost returns how many bytes were seen in a direct spool before its writer truncated or overwrote it.
func (s *Spool) Lost() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

// Watch polls the file's size until [Spool.Finish].
func (s *Spool) Watch() {
	s.witness = &witness{}
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

// poll updates the file's size and reports whether it changed. If stat fails, the size is assumed unchanged: on our own handle
// that is a problem of a network file system, which passes or shows in the read.
func (s *Spool) poll() bool {
	var position int64
	if s.witness != nil {
		position, _ = s.file.Seek(0, io.SeekCurrent) // shared with the writer; before the size, which it does not exceed then
	}
	info, err := s.read.Stat()
	if err != nil {
		return false
	}
	size, lost := info.Size(), int64(0)
	if s.witness != nil {
		lost = s.witness.lost(s.read, position, size)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if size == s.size && lost == 0 {
		return false
	}
	if size < s.size || lost > 0 {
		s.epoch++
		s.arrivals = arrivals{}
		s.lost += lost
	}
	s.size = size
	s.arrivals.add(size, time.Now())
	s.wake()
	return true
}

// wake makes all tails check again. The caller holds the lock.
func (s *Spool) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Finish marks the end of the input. What was written until now can still be read.
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

// Keep makes Close leave the file in place.
func (s *Spool) Keep() { s.keep = true }

// Hide removes the file's name, so that no file is left however the process ends. On systems that can't do that, it returns an
// error and changes nothing.
func (s *Spool) Hide() error {
	if err := os.Remove(s.path); err != nil {
		return fmt.Errorf("hide spool: %w", err)
	}
	s.keep = true // nothing to remove
	return nil
}

// Close closes the spool, after its tails, and removes the file unless it is to be kept.
func (s *Spool) Close() error {
	s.Finish()
	err := s.read.Close()
	if s.file != nil { // nil for a spool that was left
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
