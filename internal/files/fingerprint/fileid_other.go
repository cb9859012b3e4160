//go:build !unix

package fingerprint

import "io/fs"

// IDOf: these systems have no inode in a file's stat, so files are identified by path and content.
func IDOf(fs.FileInfo) (FileID, bool) { return FileID{}, false }

// HasLink is not known on these systems.
func HasLink(fs.FileInfo) bool { return false }
