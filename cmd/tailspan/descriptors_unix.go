//go:build unix

package main

import (
	"fmt"
	"syscall"
)

// leastFiles is the number of open files that every command can work with. With fewer the Go runtime aborts with a trace when the
// first file is polled.
const leastFiles = 16

// checkFiles returns an error if too few files may be open.
func checkFiles() error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur >= leastFiles {
		return nil //nolint:nilerr // an unknown limit is enough
	}
	return fmt.Errorf("only %d files may be open (ulimit -n), at least %d are needed", limit.Cur, leastFiles)
}
