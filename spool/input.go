package spool

import (
	"errors"
	"io"
)

// Input is a source of bytes for a spool. It is for use by one goroutine, except Stop.
type Input interface {
	// Read returns at least one byte or an error: [io.EOF] each time the last writer has closed the input, [os.ErrClosed]
	// after Stop.
	io.Reader
	// Lasting reports whether another writer may follow [io.EOF].
	Lasting() bool
	// Stop ends the wait for input: what has arrived is still returned, and then nothing more.
	Stop()
	// Close releases the input after the last Read.
	io.Closer
}

// errNotFIFO means that something else is at the path.
var errNotFIFO = errors.New("not a fifo")
