package logfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// DefaultMode is the mode of new files unless another one is set: their owner reads them, nobody else.
const DefaultMode = fs.FileMode(0o600)

// Settings say how files are created and rotated.
type Settings struct {
	// Mode is that of new files, before the umask; folders have it too, with the right to enter them. 0 means
	// [DefaultMode].
	Mode fs.FileMode
	// MaxBytes is the size at which a file is rotated; 0 lets it grow.
	MaxBytes int64
	// MaxDays is how long a rotated file is kept; 0 keeps it for ever.
	MaxDays int
	// MaxBackups is how many rotated files are kept; 0 keeps all.
	MaxBackups int
	// LocalTime names rotated files by local time instead of UTC.
	LocalTime bool
	// Compress packs rotated files by gzip.
	Compress bool
	// Failed gets what went wrong while rotated files were packed or removed, from another goroutine; nil drops it.
	Failed func(error)
}

// File is an open log file.
type File struct {
	location Location
	settings Settings
	file     *os.File
	cleaning sync.WaitGroup
	clean    sync.Mutex // held while rotated files are packed and removed
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

// Moved reports whether the file's path does not lead to it any more: others renamed or removed it, and what is written
// now is lost to whoever reads under that path. A path that cannot be looked at is taken to lead to it.
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

// Write appends p. A file that would exceed its limit is rotated before, at the end of a line if possible.
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

// makeRoom rotates the file if so many bytes are too many for it, whoever wrote what is in it.
func (f *File) makeRoom(size int64) error {
	info, err := f.file.Stat()
	switch {
	case errors.Is(err, os.ErrClosed): // it could not be opened after a rotation
		return f.open()
	case err != nil:
		return fmt.Errorf("stat output %q: %w", f.location.Path(), err)
	case info.Size() == 0 || info.Size()+size <= f.settings.MaxBytes:
		return nil
	}
	return f.rotate(info)
}

// Close closes the file, and waits until rotated files are packed.
func (f *File) Close() error {
	err := f.file.Close()
	f.cleaning.Wait()
	return err
}
