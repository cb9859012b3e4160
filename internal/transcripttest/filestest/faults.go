package filestest

import (
	"errors"
	"os"
	"sync"
	"syscall"

	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/openfile"
)

// ErrDisk is a fault of a disk.
var ErrDisk error = syscall.EIO

// Faults is a disk that fails some of the time.
type Faults struct {
	Mu    sync.Mutex
	Opens int   // how many openings still fail
	Why   error // they fail for
	Reads int   // how many reads fail that go beyond limit
	Limit int64 // bytes of a file that can be read without a fault
}

type faultyFile struct {
	openfile.Handle
	*Faults
}

// Refusing is a discover.Notifier of a system that has no watches left.
type Refusing struct {
	discover.Notifier
	Left int
}

// Open opens a file whose reads may fail.
func (f *Faults) Open(path string) (openfile.Handle, error) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	if f.Opens > 0 {
		f.Opens--
		return nil, &os.PathError{Op: "open", Path: path, Err: f.Why}
	}
	h, err := openfile.Open(path)
	return faultyFile{h, f}, err
}

// ReadAt reads up to the fault, like a disk does.
func (h faultyFile) ReadAt(p []byte, offset int64) (int, error) {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	if h.Reads > 0 && offset+int64(len(p)) > h.Limit {
		h.Reads--
		n, err := h.Handle.ReadAt(p[:max(0, min(int64(len(p)), h.Limit-offset))], offset)
		return n, errors.Join(ErrDisk, err)
	}
	return h.Handle.ReadAt(p, offset)
}

// Add fails once Left folders are watched.
func (r *Refusing) Add(path string) error {
	if r.Left--; r.Left < 0 {
		return syscall.ENOSPC
	}
	return r.Notifier.Add(path)
}
