//go:build !unix

package source

import (
	"io/fs"
	"os"
)

const openFlags = os.O_RDONLY

// keepOpen: on Windows a file that we hold open can't be renamed or deleted by the agent that writes it.
const keepOpen = false

func hasName(fs.FileInfo) bool { return false }

// idOf: these systems have no inode in a file's stat, so files are identified by path and content.
func idOf(fs.FileInfo) (fileID, bool) { return fileID{}, false }
