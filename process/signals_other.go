//go:build !unix

package process

import "syscall"

// unixSignalNames is empty: these systems have no further signals.
var unixSignalNames map[syscall.Signal]string
