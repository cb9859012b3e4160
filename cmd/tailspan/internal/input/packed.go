package input

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/tailspan/tailspan/internal/files/lines"
	"github.com/tailspan/tailspan/internal/files/unpack"
)

// Names by which unpack recognizes a compression.
const (
	gzipName = "x.gz"
	zstdName = "x.zst"
)

// Magic numbers of compressed content (RFC 1952, RFC 8878).
const (
	gzipMagic = "\x1f\x8b"
	zstdMagic = "\x28\xb5\x2f\xfd"
)

// compression returns the name to pass to unpack for content that begins with head: name itself, unless only head shows
// compressed content.
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

// sniffed reads standard input and decompresses it. It waits for a second byte only if the first may begin compressed content: it
// never blocks on an agent that writes lines.
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

// packing returns the name to pass to unpack.
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

// Close ends decompression and closes the input.
func (s *sniffed) Close() error {
	if s.content == nil {
		return s.Closer.Close()
	}
	return errors.Join(s.content.Close(), s.Closer.Close())
}

// named adds the name of the input to each read error.
type named struct {
	io.ReadCloser
	name string
}

// Error is an error of reading the input, as opposed to writing.
type Error struct{ Err error }

func (e Error) Error() string { return e.Err.Error() }
func (e Error) Unwrap() error { return e.Err }

// Read implements io.Reader.
func (n named) Read(p []byte) (int, error) {
	got, err := n.ReadCloser.Read(p)
	if err == nil || err == io.EOF { // io.Reader requires the bare value
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
	case errors.Is(err, lines.ErrUTF16):
		return fmt.Errorf("decode %s: %w", name, err)
	case unpack.Broken(err):
		return fmt.Errorf("unpack %s: %w", name, err)
	case errors.As(err, &path): // the error already names the file
		return err
	default:
		return fmt.Errorf("read %s: %w", name, err)
	}
}
