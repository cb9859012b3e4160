//go:build unix

package fingerprint

import (
	"io/fs"
	"syscall"
)

// IDOf returns the ID of a file, or false if the system has none.
func IDOf(info fs.FileInfo) (FileID, bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return FileID{}, false
	}
	return FileID{Device: uint64(stat.Dev), Inode: uint64(stat.Ino)}, true //nolint:unconvert // differs by system
}

// HasLink reports whether some path leads to an open file.
func HasLink(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 0
}
