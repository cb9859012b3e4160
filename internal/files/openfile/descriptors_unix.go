//go:build unix

package openfile

import (
	"math"
	"syscall"
)

// descriptorLimit returns how many file descriptors the process may have.
func descriptorLimit() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return math.MaxUint64
	}
	return uint64(limit.Cur) //nolint:unconvert // differs by system
}
