//go:build !linux

package spool

import (
	"errors"
	"os"
)

// openAgain returns an error, because opening by number would share the flags with other users of the file.
func openAgain(*os.File) (*FIFO, error) { return nil, errors.ErrUnsupported }
