package spool

import (
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// OpenStdin makes an Input of a file that was handed over open, such as standard input. A pipe is opened a second time
// where the system lets us, so that Stop can end a read that waits; else Stop leaves such a read alone, and what it gets
// then is lost. file itself stays open.
func OpenStdin(file *os.File) (Input, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("stat standard input: %w", err)
	}
	if info.Mode()&fs.ModeNamedPipe != 0 {
		if again, err := openAgain(file); err == nil {
			return again, nil
		}
	}
	s := &pumped{file: file, pieces: make(chan piece), stopped: make(chan struct{})}
	go s.pump()
	return s, nil
}

// pumped reads a file whose reads can't be interrupted, in a goroutine of its own.
type pumped struct {
	file    *os.File
	pieces  chan piece
	stopped chan struct{}
	once    sync.Once
	rest    []byte
	err     error // what comes after rest
}

// piece is what one read gave.
type piece struct {
	data []byte
	err  error
}

func (s *pumped) pump() {
	for {
		buf := make([]byte, copyBytes)
		n, err := s.file.Read(buf)
		select {
		case s.pieces <- piece{buf[:n], err}:
		case <-s.stopped:
			return
		}
		if err != nil {
			return
		}
	}
}

// Read returns what came; io.EOF at the end.
func (s *pumped) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		select {
		case got := <-s.pieces:
			s.rest, s.err = got.data, got.err
		case <-s.stopped:
			return 0, fmt.Errorf("read standard input: %w", os.ErrClosed)
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Lasting is false: its end is the end.
func (s *pumped) Lasting() bool { return false }

// Stop ends the waiting.
func (s *pumped) Stop() { s.once.Do(func() { close(s.stopped) }) }

// Close does the same: the file is not ours.
func (s *pumped) Close() error {
	s.Stop()
	return nil
}

var _, _ Input = (*FIFO)(nil), (*pumped)(nil)
