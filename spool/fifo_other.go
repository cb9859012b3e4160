//go:build !unix

package spool

import (
	"errors"
	"fmt"
)

// FIFO is a named pipe, which this system has none of.
type FIFO struct{ Input }

// OpenFIFO fails: the named pipes of this system are something else.
func OpenFIFO(path string) (*FIFO, error) {
	return nil, fmt.Errorf("open fifo %q: %w", path, errors.ErrUnsupported)
}

// Replaced is false.
func (f *FIFO) Replaced() bool { return false }
