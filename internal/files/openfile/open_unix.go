//go:build unix

package openfile

import (
	"os"
	"syscall"
)

// openFlags: opening must not block if the file was replaced by a pipe since its stat. It has no effect on regular files.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK

// KeepOpen is true if an open file may be renamed and deleted by others.
const KeepOpen = true
