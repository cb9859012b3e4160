package spooled

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/tailspan/tailspan/spool"
)

// folder is where the spools of one input are, locked for this process. The zero value is the folder for temporary files.
type folder struct {
	dir     string
	left    []string // spools of a previous process
	release func() error
}

// openFolder locks the folder of an input. The folder is the same after a restart and unique to the input; key distinguishes
// the inputs of all receivers.
func openFolder(under, name, key string) (folder, error) {
	if under == "" {
		return folder{}, nil
	}
	sum := sha256.Sum256([]byte(key))
	f := folder{dir: filepath.Join(under, name+"-"+hex.EncodeToString(sum[:4]))}
	err := f.make()
	if err == nil {
		f.release, err = spool.Lock(f.dir)
	}
	if err == nil {
		if f.left, err = spool.Left(f.dir); err != nil {
			err = errors.Join(err, f.release())
		}
	}
	if err != nil {
		return folder{}, fmt.Errorf("spool::directory: %w", err)
	}
	return f, nil
}

// make creates the folder, which may have been removed.
func (f *folder) make() error {
	if f.dir == "" {
		return nil
	}
	return os.MkdirAll(f.dir, 0o700)
}

// lasting reports whether the next process resumes what is left.
func (f *folder) lasting() bool { return f.dir != "" }

// unlock releases the folder for other processes.
func (f *folder) unlock() error {
	if f.release == nil {
		return nil
	}
	return f.release()
}

// Reasons why input is dropped.
const (
	dropSpoolFull   = "spool_full"
	dropDiskFull    = "disk_full"
	dropSpoolFailed = "spool_failed"
	dropTruncated   = "truncated"
)

// dropReason returns why input is dropped, with advice for the user.
func dropReason(err error) (reason, advice string) {
	switch {
	case errors.Is(err, spool.ErrFull):
		return dropSpoolFull, "check why consumers refuse, or raise spool::max_size"
	case errors.Is(err, syscall.ENOSPC):
		return dropDiskFull, "free disk space, or set spool::directory to a folder on another disk"
	default:
		return dropSpoolFailed, "make the folder writable for the collector, or set spool::directory to a writable one"
	}
}
