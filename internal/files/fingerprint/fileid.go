package fingerprint

import "os"

// FileID is the identity of a file in the file system. The zero value is no file: systems without such a number identify files
// by path and content alone.
type FileID struct {
	Device, Inode uint64
}

// LeadsTo reports whether a path leads to the file of an id.
func LeadsTo(path string, want FileID) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	id, _ := IDOf(info)
	return id == want
}
