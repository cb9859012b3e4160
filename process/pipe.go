package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// pipe is a pipe that a child writes to.
type pipe struct {
	read, write *os.File
}

func newPipe() (*pipe, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make pipe: %w", err)
	}
	return &pipe{r, w}, nil
}

// closeWrite closes our copy of the child's end; otherwise the pipe would never end.
func (p *pipe) closeWrite() { _ = p.write.Close() }

// finish ends the wait for more after the child has exited, because later bytes are not the child's. What is already in the
// pipe is still read.
func (p *pipe) finish() { _ = p.read.SetReadDeadline(time.Now()) }

// drain reads a pipe until it ends, or until it is empty after [pipe.finish].
type drain struct {
	file   *os.File
	exited bool // the child has exited
}

// Read returns io.EOF at the end.
func (d *drain) Read(buf []byte) (int, error) {
	if !d.exited {
		n, err := d.file.Read(buf)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		d.exited = true
		_ = d.file.SetReadDeadline(time.Time{}) // otherwise the read would fail at once
		if n > 0 {
			return n, nil
		}
	}
	n, err := readNow(d.file, buf)
	if n <= 0 || err != nil {
		return 0, io.EOF
	}
	return n, nil
}
