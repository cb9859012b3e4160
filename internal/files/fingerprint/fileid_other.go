//go:build !unix

package fingerprint

import "io/fs"

// IDOf returns false: on these systems a stat has no inode, so files are identified by path and content.
func IDOf(fs.FileInfo) (FileID, bool) { return FileID{}, false }

// HasLink returns false: these systems do not report it.
func HasLink(fs.FileInfo) bool { return false }
