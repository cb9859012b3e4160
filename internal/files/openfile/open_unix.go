//go:build unix

package openfile

import (
	"os"
	"syscall"
)

// openFlags keep opening from blocking if a pipe has replaced the file since its stat. They don't affect regular files.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK

// KeepOpen is true if others may rename and delete an open file.
const KeepOpen = true
