package input

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/tailspan/tailspan/internal/files/unpack"
)

// Names that unpack knows a compression by.
const (
	gzipName = "x.gz"
	zstdName = "x.zst"
)

// How compressed content begins (RFC 1952, RFC 8878).
const (
	gzipMagic = "\x1f\x8b"
	zstdMagic = "\x28\xb5\x2f\xfd"
)

// compression is the name that unpack is to be given for content that begins with head: name itself, unless head alone
// shows compressed content.
func compression(name string, head []byte) string {
	switch {
	case unpack.Is(name):
		return name
	case bytes.HasPrefix(head, []byte(gzipMagic)):
		return gzipName
	case bytes.HasPrefix(head, []byte(zstdMagic)):
		return zstdName
	default:
		return name
	}
}

// sniffed reads standard input, and unpacks what is compressed. It waits for more than the first byte only where that may
// begin compressed content: an agent that writes lines is never waited for.
type sniffed struct {
	io.Closer
	in      *bufio.Reader
	content io.ReadCloser // nil before the first read
}

func newSniffed(in io.ReadCloser) *sniffed {
	return &sniffed{Closer: in, in: bufio.NewReaderSize(in, BufferSize)}
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
	head, _ := s.in.Peek(1) // reading reports an unreadable input
	switch string(head) {
	case gzipMagic[:1]:
		head, _ = s.in.Peek(len(gzipMagic))
	case zstdMagic[:1]:
		head, _ = s.in.Peek(len(zstdMagic))
	}
	return compression(Stdin, head)
}

// Close ends the unpacking and closes the input.
func (s *sniffed) Close() error {
	if s.content == nil {
		return s.Closer.Close()
	}
	return errors.Join(s.content.Close(), s.Closer.Close())
}

// named adds the name of the input to each error of reading.
type named struct {
	io.ReadCloser
	name string
}

// Error is an error of reading the input, not of writing.
type Error struct{ Err error }

func (e Error) Error() string { return e.Err.Error() }
func (e Error) Unwrap() error { return e.Err }

// Read implements io.Reader.
func (n named) Read(p []byte) (int, error) {
	got, err := n.ReadCloser.Read(p)
	if err == nil || err == io.EOF { // the bare value is the contract of io.Reader
		return got, err
	}
	return got, Error{n.wrap(err)}
}

func (n named) wrap(err error) error {
	name := fmt.Sprintf("%q", n.name)
	if n.name == Stdin {
		name = "standard input"
	}
	var path *fs.PathError
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
