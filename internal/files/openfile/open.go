package openfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tailspan/tailspan/internal/files/unpack"
)

// Handle is an open file. ReadAt reads as many bytes as there are. Only at the end does it return fewer than requested, with
// io.EOF.
type Handle interface {
	io.ReaderAt
	io.Closer
	Stat() (fs.FileInfo, error)
}

// Opener opens a regular file; tests use one that fails on purpose.
type Opener func(path string) (Handle, error)

// ErrNotRegular means that a folder, pipe, socket or device matches the pattern.
var ErrNotRegular = errors.New("not a regular file")

// IsCompressed reports whether the name of a file says that it is compressed.
func IsCompressed(path string) bool { return unpack.Is(path) }

// PlainPath returns the path that a compressed file had before it was compressed in place.
func PlainPath(path string) string {
	if IsCompressed(path) {
		return strings.TrimSuffix(path, filepath.Ext(path))
	}
	return path
}

// Open opens a file for reading at any offset.
func Open(path string) (Handle, error) {
	f, err := os.OpenFile(path, openFlags, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if IsCompressed(path) {
		return &packedHandle{file: f, path: path}, nil
	}
	return f, nil
}

// packedHandle reads the content of a compressed file. It reads forward; to go back it starts again.
type packedHandle struct {
	file   Handle
	path   string
	reader io.ReadCloser
	at     int64 // offset of the next byte that reader returns
}

// Stat returns the stat of the compressed file.
func (h *packedHandle) Stat() (fs.FileInfo, error) { return h.file.Stat() }

// Close closes the file.
func (h *packedHandle) Close() error { return errors.Join(h.release(), h.file.Close()) }

// release closes the decompressor.
func (h *packedHandle) release() error {
	if h.reader == nil {
		return nil
	}
	r := h.reader
	h.reader, h.at = nil, 0
	return r.Close()
}

// ReadAt reads decompressed content.
func (h *packedHandle) ReadAt(p []byte, offset int64) (int, error) {
	if h.reader == nil || offset < h.at {
		if err := h.rewind(); err != nil {
			return 0, h.wrap(err)
		}
	}
	if skip := offset - h.at; skip > 0 {
		n, err := io.CopyN(io.Discard, h.reader, skip)
		h.at += n
		if err != nil {
			return 0, h.wrap(err)
		}
	}
	n, err := io.ReadFull(h.reader, p)
	h.at += int64(n)
	if errors.Is(err, io.ErrUnexpectedEOF) && h.ended() {
		err = io.EOF
	}
	return n, h.wrap(err)
}

// ended distinguishes the end of the content from a truncated file: for a full read, both are an unexpected end.
func (h *packedHandle) ended() bool {
	var one [1]byte
	n, err := h.reader.Read(one[:])
	return n == 0 && errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF)
}

// rewind starts again at the first byte.
func (h *packedHandle) rewind() error {
	if err := h.release(); err != nil {
		return err
	}
	reader, err := unpack.New(h.path, io.NewSectionReader(h.file, 0, 1<<62))
	if err != nil {
		return err
	}
	h.reader = reader
	return nil
}

// wrap adds the path. io.EOF stays unchanged, because it is not an error.
func (h *packedHandle) wrap(err error) error {
	if err == nil || err == io.EOF { //nolint:errorlint // the bare value is the contract of io.ReaderAt
		return err
	}
	return fmt.Errorf("decompress %q: %w", h.path, errors.Join(err, h.release()))
}
