//go:build !unix

package spool

import (
	"errors"
	"fmt"
)

// FIFO is a named pipe; this system has none.
type FIFO struct{ Input }

// OpenFIFO returns an error, because the named pipes of this system are different.
func OpenFIFO(path string) (*FIFO, error) {
	return nil, fmt.Errorf("open fifo %q: %w", path, errors.ErrUnsupported)
}

// Replaced returns false.
func (f *FIFO) Replaced() bool { return false }
