package fingerprint

import "os"

// FileID identifies a file in the file system. The zero value identifies none: systems without such an ID identify files by
// path and content only.
type FileID struct {
	Device, Inode uint64
}

// LeadsTo reports whether a path leads to the file with the given ID.
func LeadsTo(path string, want FileID) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	id, _ := IDOf(info)
	return id == want
}
