package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/tailspan/tailspan/source/unpack"
)

// Names that unpack knows a compression by.
const (
	gzipName = "x.gz"
	zstdName = "x.zst"
)

// magic is how compressed content begins (RFC 1952, RFC 8878).
var magic = map[string][]byte{gzipName: {0x1f, 0x8b}, zstdName: {0x28, 0xb5, 0x2f, 0xfd}}

// compression is the name that unpack is to be given for content that begins so; its own, where nothing tells that it is
// compressed.
func compression(name string, head []byte) string {
	if !unpack.Is(name) {
		for packed, begin := range magic {
			if bytes.HasPrefix(head, begin) {
				return packed
			}
		}
	}
	return name
}

// sniffed reads standard input, and unpacks what is compressed. It looks at the first read, and waits for more than one byte
// only where that may begin a compressed content: an agent that writes lines is never waited for.
type sniffed struct {
	io.Closer
	in      *bufio.Reader
	content io.ReadCloser // nil before the first read
}

func newSniffed(in io.ReadCloser) *sniffed {
	return &sniffed{Closer: in, in: bufio.NewReaderSize(in, readBytes)}
}

// Read implements io.Reader.
func (s *sniffed) Read(p []byte) (int, error) {
	if s.content == nil {
		content, err := unpack.New(s.packing(), s.in)
		if err != nil {
			return 0, err
		}
		s.content = content
	}
	return s.content.Read(p)
}

// packing is the name that unpack is to be given.
func (s *sniffed) packing() string {
	first, _ := s.in.Peek(1) // an unreadable input is told when it is read
	for packed, begin := range magic {
		if bytes.HasPrefix(first, begin[:1]) {
			if head, _ := s.in.Peek(len(begin)); bytes.Equal(head, begin) {
				return packed
			}
		}
	}
	return stdinName
}

// Close ends the unpacking and closes the input.
func (s *sniffed) Close() error {
	if s.content == nil {
		return s.Closer.Close()
	}
	return errors.Join(s.content.Close(), s.Closer.Close())
}

// named tells in each error of reading which input it is of.
type named struct {
	io.ReadCloser
	name string
}

// inputError is an error of reading the input, not of writing.
type inputError struct{ err error }

func (e inputError) Error() string { return e.err.Error() }
func (e inputError) Unwrap() error { return e.err }

// Read implements io.Reader.
func (n named) Read(p []byte) (int, error) {
	got, err := n.ReadCloser.Read(p)
	if err == nil || err == io.EOF { // the bare value is the contract of io.Reader
		return got, err
	}
	return got, inputError{n.tell(err)}
}

func (n named) tell(err error) error {
	name := fmt.Sprintf("%q", n.name)
	if n.name == stdinName {
		name = "standard input"
	}
	path := (*fs.PathError)(nil)
	switch {
	case unpack.Broken(err) && errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("unpack %s: %w: it is cut short, or still being written", name, err)
	case unpack.Broken(err):
		return fmt.Errorf("unpack %s: %w", name, err)
	case errors.As(err, &path): // it names the file
		return err
	default:
		return fmt.Errorf("read %s: %w", name, err)
	}
}
