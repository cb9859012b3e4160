//go:build unix

package source

import (
	"io/fs"
	"os"
	"syscall"
)

// openFlags: opening must not block if the file was replaced by a pipe since its stat. It has no effect on regular files.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK

// keepOpen reports whether an open file may be renamed and deleted by others.
const keepOpen = true

// hasName reports whether a path leads to an open file.
func hasName(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 0
}

// idOf returns the file's id; false where the system has none.
func idOf(info fs.FileInfo) (fileID, bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileID{}, false
	}
	return fileID{device: uint64(stat.Dev), inode: uint64(stat.Ino)}, true //nolint:unconvert // differs by system
}
