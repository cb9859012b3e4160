package spool

import (
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// Stdin reads a file that was handed over open, such as standard input.
type Stdin struct {
	file   *os.File
	own    bool // file was opened here: closing it ends a read
	pieces chan piece
	closed chan struct{}
	once   sync.Once
	rest   []byte
	err    error // what comes after rest
}

// piece is what one read gave.
type piece struct {
	data []byte
	err  error
}

// OpenStdin makes an Input of file. A pipe is opened a second time where the system lets us, so that Close can end a read
// that waits; else a read that waits is left alone by Close, and what it gets then is lost. file itself stays open.
func OpenStdin(file *os.File) (*Stdin, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("look at standard input: %w", err)
	}
	s := &Stdin{file: file, closed: make(chan struct{})}
	if info.Mode()&fs.ModeNamedPipe != 0 {
		if again, err := openAgain(file); err == nil {
			s.file, s.own = again, true
			return s, nil
		}
	}
	s.pieces = make(chan piece)
	go s.pump()
	return s, nil
}

// pump reads what can't be interrupted.
func (s *Stdin) pump() {
	for {
		buf := make([]byte, copyBytes)
		n, err := s.file.Read(buf)
		select {
		case s.pieces <- piece{buf[:n], err}:
		case <-s.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

// Read gives what came; io.EOF at the end.
func (s *Stdin) Read(p []byte) (int, error) {
	if s.own {
		return s.file.Read(p)
	}
	for len(s.rest) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		select {
		case got := <-s.pieces:
			s.rest, s.err = got.data, got.err
		case <-s.closed:
			return 0, fmt.Errorf("read standard input: %w", os.ErrClosed)
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Lasting is false: its end is the end.
func (s *Stdin) Lasting() bool { return false }

// Close ends the reading.
func (s *Stdin) Close() error {
	var err error
	s.once.Do(func() {
		close(s.closed)
		if s.own {
			err = s.file.Close()
		}
	})
	return err
}

var _, _ Input = (*FIFO)(nil), (*Stdin)(nil)
