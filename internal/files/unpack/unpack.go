// Package unpack decompresses files whose names end in .gz (gzip) or .zst (Zstandard).
//
// It turns a reader of the file into a reader of its content, without goroutines. A Zstandard file may use a window of at most
// 128 MiB, the default limit of the zstd program; a larger one is an error. Content beyond 64 MiB that is more than 1000 times
// as large as its compressed form is an error too: no agent log compresses that well.
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
	// maxRatio is how many times as large as the file the content may be, checked after leastChecked bytes.
	maxRatio     = 1000
	leastChecked = 64 << 20
)

// errRatio means that the content is too large for the size of its file.
var errRatio = errors.New("content is more than 1000 times as large as the file")

// readBytes is how much of a file is read at once.
const readBytes = 64 << 10

// Is reports whether the name of a file says that it is compressed.
func Is(path string) bool { return strings.HasSuffix(path, ".gz") || strings.HasSuffix(path, ".zst") }

// ContentError is an error in the content of the file: it is truncated (then the error is io.ErrUnexpectedEOF too), or not
// what its name says. Reading it again helps only if the file changes. All other errors come from the system.
type ContentError struct{ Err error }

// Error implements error.
func (e *ContentError) Error() string { return e.Err.Error() }

// Unwrap returns the decoder's error.
func (e *ContentError) Unwrap() error { return e.Err }

// Broken reports whether an error is a ContentError.
func Broken(err error) bool {
	var content *ContentError
	return errors.As(err, &content)
}

// New returns a reader of the content of a file with this name; an uncompressed file is read as it is.
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
	if _, err := in.Peek(1); err != nil { // a file without frames is valid content too
		return nil, nil, err
	}
	d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, nil, err
	}
	return d, d.Close, nil
}

// input records how much of a file was read, and its read error.
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

// blame distinguishes errors in the content from errors of the file.
func (i *input) blame(err error) error {
	if i.err != nil {
		return i.err
	}
	return &ContentError{err}
}

// reader reads the content of a file.
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
