package spool

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
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

// DefaultMaxBytes is how much input a Copier keeps by default.
const DefaultMaxBytes = 4 << 30

// copyBytes is how much is read at once: the capacity of a pipe on Linux.
const copyBytes = 64 << 10

// CopySettings configures how input is copied.
type CopySettings struct {
	// MaxBytes is how much is kept; 0 means [DefaultMaxBytes].
	MaxBytes int64
	// Budget, if set, is used instead of MaxBytes; several spools share it.
	Budget *Budget
	// Dropping is called once, with the reason, when input begins to be dropped.
	Dropping func(reason error)
}

// ErrFull means that the spool has reached its limit.
var ErrFull = errors.New("spool is full")

// Copier copies input into a spool. It never stops reading: input that can't be kept is dropped and counted. It is for use by
// one goroutine, except [Copier.Dropped].
type Copier struct {
	spool    *Spool
	settings CopySettings
	to       io.Writer
	full     bool
	dropped  atomic.Int64
	buf      []byte
}

// NewCopier returns a Copier that writes to s.
func NewCopier(s *Spool, c CopySettings) *Copier {
	if c.MaxBytes <= 0 {
		c.MaxBytes = DefaultMaxBytes
	}
	if c.Budget == nil {
		c.Budget = NewBudget(c.MaxBytes)
	}
	return &Copier{spool: s, settings: c, to: s.file}
}

// Copy reads r to its end. It returns only read errors.
func (c *Copier) Copy(r io.Reader) error {
	if c.buf == nil {
		c.buf = make([]byte, copyBytes)
	}
	for {
		n, err := r.Read(c.buf)
		c.Take(c.buf[:n])
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read input: %w", err)
		}
	}
}

// Take keeps p or drops it. After the first dropped byte nothing more is kept, because a truncated stream is more useful than
// one with a gap.
func (c *Copier) Take(p []byte) {
	if len(p) == 0 {
		return
	}
	n, err := 0, error(nil)
	if !c.full {
		fits := c.settings.Budget.take(int64(len(p)))
		if fits > 0 {
			n, err = c.to.Write(p[:fits])
			c.settings.Budget.Return(fits - int64(n))
			c.spool.poll()
		}
	}
	if n == len(p) {
		return
	}
	c.dropped.Add(int64(len(p) - n))
	if c.full {
		return
	}
	c.full = true
	if err == nil {
		err = fmt.Errorf("%w: %d bytes", ErrFull, c.settings.Budget.Most())
	}
	if c.settings.Dropping != nil {
		c.settings.Dropping(err)
	}
}

// Dropped returns how many bytes of input were not kept.
func (c *Copier) Dropped() int64 { return c.dropped.Load() }
