package spool

import (
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// OpenStdin returns an Input for a file that was inherited open, such as standard input. A pipe is opened again if the system
// allows, so that Stop can interrupt a waiting read. Otherwise Stop does not interrupt it, and what it reads afterwards is
// lost. file itself stays open.
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

// pumped reads a file whose reads can't be interrupted, in a separate goroutine.
type pumped struct {
	file    *os.File
	pieces  chan piece
	stopped chan struct{}
	once    sync.Once
	rest    []byte
	err     error // follows rest
}

// piece is the result of one read.
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

// Read returns what arrived, or io.EOF at the end.
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

// Lasting returns false, because its end is final.
func (s *pumped) Lasting() bool { return false }

// Stop ends the wait for input.
func (s *pumped) Stop() { s.once.Do(func() { close(s.stopped) }) }

// Close only stops, because the file belongs to the caller.
func (s *pumped) Close() error {
	s.Stop()
	return nil
}

var _, _ Input = (*FIFO)(nil), (*pumped)(nil)
