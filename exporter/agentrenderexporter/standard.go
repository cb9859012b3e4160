package agentrenderexporter

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// errNoReader means that the reader of standard output or standard error closed it; no other reader can replace it.
var errNoReader = errors.New("reader closed it")

// standardOutput is standard output or standard error, which belongs to the process, not to us.
type standardOutput struct {
	file *os.File
	// pipes receives the signal that would otherwise end the process when nobody reads any more. It is caught rather than
	// ignored, because commands that the collector runs would inherit that.
	pipes chan os.Signal
}

func openStandard(file *os.File) *standardOutput {
	o := &standardOutput{file, make(chan os.Signal, 1)}
	signal.Notify(o.pipes, syscall.SIGPIPE)
	return o
}

func (o *standardOutput) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		err = fmt.Errorf("%w: %w", errNoReader, err)
	}
	return n, err
}

// Close leaves the output open.
func (o *standardOutput) Close() error {
	signal.Stop(o.pipes)
	return nil
}
