package logfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// DefaultMode is the default mode of new files: readable and writable only by their owner.
const DefaultMode = fs.FileMode(0o600)

// Settings configures how files are created and rotated.
type Settings struct {
	// Mode is the mode of new files, before the umask; folders have the same mode plus search permission. 0 means
	// [DefaultMode].
	Mode fs.FileMode
	// MaxBytes is the size at which a file is rotated; 0 lets it grow.
	MaxBytes int64
	// MaxDays is how long a rotated file is kept; 0 keeps it forever.
	MaxDays int
	// MaxBackups is how many rotated files are kept; 0 keeps all.
	MaxBackups int
	// LocalTime names rotated files by local time instead of UTC.
	LocalTime bool
	// Compress compresses rotated files with gzip.
	Compress bool
	// Failed receives errors from compressing or removing rotated files, on another goroutine; nil discards them.
	Failed func(error)
}

// File is an open log file.
type File struct {
	location Location
	settings Settings
	file     *os.File
	cleaning sync.WaitGroup
	clean    sync.Mutex // held while rotated files are compressed and removed
}

// Open opens a file for appending.
func Open(l Location, s Settings) (*File, error) {
	if s.Mode == 0 {
		s.Mode = DefaultMode
	}
	f := &File{location: l, settings: s}
	return f, f.open()
}

func (f *File) open() error {
	file, err := open(f.location, f.settings.Mode)
	if err != nil {
		return fmt.Errorf("open output %q: %w", f.location.Path(), err)
	}
	f.file = file
	return nil
}

// Moved reports whether the file's path no longer leads to it: others renamed or removed it, and readers of that path will not
// see what is written now. If the path can't be examined, Moved returns false.
func (f *File) Moved() bool {
	own, err := f.file.Stat()
	if err != nil {
		return false
	}
	stat := os.Lstat
	if f.location.Follow {
		stat = os.Stat
	}
	found, err := stat(f.location.Path())
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return !os.SameFile(found, own)
}

// Write appends p. It first rotates a file that would exceed its limit, at the end of a line if possible.
func (f *File) Write(p []byte) (int, error) {
	limit := f.settings.MaxBytes
	if limit <= 0 {
		return f.file.Write(p)
	}
	for written := 0; ; {
		piece := p[written:]
		if int64(len(piece)) > limit {
			piece = piece[:limit]
			if i := bytes.LastIndexByte(piece, '\n'); i >= 0 {
				piece = piece[:i+1]
			}
		}
		if err := f.makeRoom(int64(len(piece))); err != nil {
			return written, err
		}
		n, err := f.file.Write(piece)
		if written += n; err != nil || written == len(p) {
			return written, err
		}
	}
}

// makeRoom rotates the file if size more bytes would exceed its limit, whoever wrote its content.
func (f *File) makeRoom(size int64) error {
	info, err := f.file.Stat()
	switch {
	case errors.Is(err, os.ErrClosed): // it could not be reopened after a rotation
		return f.open()
	case err != nil:
		return fmt.Errorf("stat output %q: %w", f.location.Path(), err)
	case info.Size() == 0 || info.Size()+size <= f.settings.MaxBytes:
		return nil
	}
	return f.rotate(info)
}

// Close closes the file and waits until rotated files are compressed.
func (f *File) Close() error {
	err := f.file.Close()
	f.cleaning.Wait()
	return err
}
