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

// closeWrite closes our copy of the child's end, without which the pipe would never end.
func (p *pipe) closeWrite() { _ = p.write.Close() }

// finish ends the waiting for more: the child has exited, and what is not in the pipe now is not its own. What is in it is
// read to its end.
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
		_ = d.file.SetReadDeadline(time.Time{}) // or no read would be tried
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
