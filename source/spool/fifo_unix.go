//go:build unix

package spool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// CopyFIFO copies what comes through a FIFO until ctx ends. When its writer goes away the next one is waited for: the
// FIFO is opened for writing too, so that it never reports an end between two writers, and nothing that a writer wrote
// last is lost by opening it again.
func (c *Copier) CopyFIFO(ctx context.Context, path string) error {
	file, err := openFIFO(path)
	if err != nil {
		return fmt.Errorf("open fifo: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = file.Close() }) // ends the read
	err = c.Copy(file)
	if stop() {
		err = errors.Join(err, file.Close())
	}
	if ctx.Err() != nil && errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

func openFIFO(path string) (*os.File, error) {
	// Without blocking, or opening would wait for a writer and the read could not be ended.
	file, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && info.Mode()&fs.ModeNamedPipe == 0 {
		err = &fs.PathError{Op: "open", Path: path, Err: errNotFIFO}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

var errNotFIFO = errors.New("not a fifo")
