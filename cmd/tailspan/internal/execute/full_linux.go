package execute

import (
	"errors"
	"syscall"

	"github.com/tailspan/tailspan/spool"
)

const (
	// nearlyFull is the free space in bytes below which a disk may refuse writes: file systems keep reserves that they report as free.
	nearlyFull = 256 << 20
	// beyond is the distance from the end of a file to a block that is surely not allocated yet.
	beyond = 16 << 20
	// keepSize allocates blocks behind the end of a file and leaves its size (FALLOC_FL_KEEP_SIZE).
	keepSize = 1
)

// DiskFull reports whether the disk that has the output of a program is full, so that its writes may have failed. Programs that
// do not report this lose output unnoticed.
func DiskFull(output *spool.Spool) bool {
	fd := int(output.File().Fd())
	var fs syscall.Statfs_t
	if err := syscall.Fstatfs(fd, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) > nearlyFull {
		return false
	}
	err := syscall.Fallocate(fd, keepSize, output.Size()+beyond, 1)
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
