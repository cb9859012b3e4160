package spool

import (
	"errors"
	"io"
)

// Input is where bytes come from that go into a spool. It serves one goroutine, but for Close.
type Input interface {
	// Read gives at least one byte, or an error: [io.EOF] each time that who wrote has gone away, [os.ErrClosed] after
	// Close.
	io.Reader
	// Lasting reports whether somebody else may write after [io.EOF].
	Lasting() bool
	// Close ends a Read that waits. What was not read stays where it is.
	Close() error
}

// errNotFIFO: the path is something else.
var errNotFIFO = errors.New("not a fifo")
