package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/spool"
)

// openStdin opens standard input. It reads a pipe through a spool, so that an agent that writes to us never waits for a slow or
// paused terminal. If there can be no spool, it reads the pipe directly.
func openStdin(stdin io.Reader, stderr io.Writer) io.ReadCloser {
	file, ok := stdin.(*os.File)
	if !ok {
		return io.NopCloser(stdin)
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) == 0 {
		return io.NopCloser(stdin)
	}
	s, err := spool.Create(spool.Settings{})
	if err != nil {
		fmt.Fprintf(stderr, "tailspan: standard input is read directly, so its writer waits for us: %v\n", err)
		return io.NopCloser(stdin)
	}
	_ = s.Hide() // if it fails, Close removes the spool
	ctx, cancel := context.WithCancel(context.Background())
	in := &spooledStdin{Reader: s.Tail().Reader(ctx), spool: s, cancel: cancel, failed: make(chan error, 1)}
	copier := spool.NewCopier(s, spool.CopySettings{Dropping: func(reason error) {
		if !in.closed.Load() {
			fmt.Fprintf(stderr, "tailspan: standard input is no longer kept, further input is dropped: %v\n", reason)
		}
	}})
	go func() { // may outlive Close: nothing interrupts a read of standard input
		err := copier.Copy(file)
		if n := copier.Dropped(); err == nil && n > 0 {
			err = fmt.Errorf("%s were dropped", cli.Count(n, "byte"))
		}
		in.failed <- err
		s.Finish()
	}()
	return in
}

// spooledStdin is standard input behind a spool.
type spooledStdin struct {
	io.Reader
	spool  *spool.Spool
	cancel context.CancelFunc
	failed chan error  // how the copying ended
	err    error       // what failed had
	closed atomic.Bool // no reader is left, so dropped bytes are not reported
}

// Read returns the input, and after all of it the error of the copying, each time: a peek takes the first one.
func (s *spooledStdin) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	select {
	case s.err = <-s.failed:
	default:
	}
	return n, cmp.Or(s.err, err)
}

// Close ends reading. The writer gets SIGPIPE or EPIPE when our process ends.
func (s *spooledStdin) Close() error {
	s.closed.Store(true)
	s.cancel()
	return s.spool.Close()
}
