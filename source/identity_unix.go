//go:build unix

package source

import (
	"io/fs"
	"os"
	"syscall"
)

// openFlags: a file that became a pipe between the look at it and its opening must not block. It is without effect on
// regular files.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK

// keepOpen tells whether an open file may be renamed and deleted by others.
const keepOpen = true

// hasName tells whether a path leads to an open file.
func hasName(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 0
}

// idOf gives the file's id; false where the path alone doesn't tell it.
func idOf(info fs.FileInfo) (fileID, bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileID{}, false
	}
	return fileID{device: uint64(stat.Dev), inode: uint64(stat.Ino)}, true //nolint:unconvert // differs by system
}
