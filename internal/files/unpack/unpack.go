// Package unpack reads compressed files, which it knows by their names: gzip (.gz) and Zstandard (.zst).
//
// In goes a reader of the file, out comes one of its content. Nothing runs in the background. A Zstandard file may ask
// for a window of 128 MiB at most (what the zstd program takes by default); a larger one is refused.
// Content beyond 64 MiB that is more than 1000 times as large as what it is made of is refused too: no log of an agent is.
//
// Sources: RFC 1952, RFC 8878.
package unpack

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// maxWindow is the largest window of a Zstandard file, in bytes.
const maxWindow = 128 << 20

const (
	// maxRatio is how many times as large as the file content may be, from leastChecked bytes on.
	maxRatio     = 1000
	leastChecked = 64 << 20
)

// errRatio: the content is too large for the size of its file.
var errRatio = errors.New("content is more than 1000 times as large as the file")

// readBytes is how much of a file is read at once.
const readBytes = 64 << 10

// Is reports by its name whether a file is compressed.
func Is(path string) bool { return strings.HasSuffix(path, ".gz") || strings.HasSuffix(path, ".zst") }

// ContentError is an error of what the file holds: it breaks off (then it is io.ErrUnexpectedEOF too), or is not what its
// name says. Reading again mends it only if the file changes. All other errors are the system's.
type ContentError struct{ Err error }

// Error implements error.
func (e *ContentError) Error() string { return e.Err.Error() }

// Unwrap returns the decoder's error.
func (e *ContentError) Unwrap() error { return e.Err }

// Broken reports whether an error is one of the content.
func Broken(err error) bool {
	var content *ContentError
	return errors.As(err, &content)
}

// New reads the content of a file with this name; one that is not compressed is read as it is.
func New(path string, file io.Reader) (io.ReadCloser, error) {
	in := &input{file: file}
	var content io.Reader
	stop := func() {}
	var err error
	switch {
	case strings.HasSuffix(path, ".gz"):
		content, err = gzip.NewReader(bufio.NewReaderSize(in, readBytes))
	case strings.HasSuffix(path, ".zst"):
		content, stop, err = newZstd(bufio.NewReaderSize(in, readBytes))
	default:
		return io.NopCloser(file), nil
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // shorter than a header: still being written
	}
	if err != nil {
		return nil, in.blame(err)
	}
	return &reader{in: in, content: content, stop: stop}, nil
}

func newZstd(in *bufio.Reader) (io.Reader, func(), error) {
	if _, err := in.Peek(1); err != nil { // no frame is a valid content too
		return nil, nil, err
	}
	d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, nil, err
	}
	return d, d.Close, nil
}

// input remembers how much was read of the file, and what it failed with.
type input struct {
	file io.Reader
	read int64
	err  error
}

func (i *input) Read(p []byte) (int, error) {
	n, err := i.file.Read(p)
	i.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		i.err = err
	}
	return n, err
}

// blame distinguishes errors of the content from those of the file.
func (i *input) blame(err error) error {
	if i.err != nil {
		return i.err
	}
	return &ContentError{err}
}

// reader is the content of a file.
type reader struct {
	in      *input
	content io.Reader
	passed  int64
	stop    func()
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	n, err := r.content.Read(p)
	if r.passed += int64(n); r.passed > leastChecked && r.passed/maxRatio > r.in.read {
		return 0, &ContentError{errRatio}
	}
	if err == nil || err == io.EOF { // the bare value is the contract of io.Reader
		return n, err
	}
	return n, r.in.blame(err)
}

// Close implements io.Closer. It does not close the file.
func (r *reader) Close() error {
	r.stop()
	return nil
}
