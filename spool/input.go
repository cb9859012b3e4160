package spool

import (
	"errors"
	"io"
)

// Input is where bytes come from that go into a spool. It serves one goroutine, but for Stop.
type Input interface {
	// Read returns at least one byte, or an error: [io.EOF] each time that the last writer has closed it, [os.ErrClosed] after
	// Stop.
	io.Reader
	// Lasting reports whether somebody else may write after [io.EOF].
	Lasting() bool
	// Stop ends the waiting: what has come is still returned, and then nothing more.
	Stop()
	// Close ends the use of it. It follows the last Read.
	io.Closer
}

// errNotFIFO: the path is something else.
var errNotFIFO = errors.New("not a fifo")
