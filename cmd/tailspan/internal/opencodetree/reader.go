package opencodetree

import (
	"errors"
	"fmt"
	"io"
	"iter"
)

// maxErrors is how many failed files an error names.
const maxErrors = 8

// Reader is the rows of a folder as a stream of lines.
type Reader struct {
	next func() ([]byte, error, bool)
	stop func()
	rest []byte // of the row at hand, and its newline
	errs []error
	more int // errors beyond maxErrors
}

// Open returns the rows of all trees in a folder as lines. Files that could not be read are reported by the error that ends
// the stream, behind all rows.
func Open(dir string) (*Reader, error) {
	rows, err := Rows(dir)
	if err != nil {
		return nil, err
	}
	next, stop := iter.Pull2(rows)
	return &Reader{next: next, stop: stop}, nil
}

// Read implements io.Reader.
func (r *Reader) Read(b []byte) (int, error) {
	for len(r.rest) == 0 {
		row, err, ok := r.next()
		switch {
		case !ok:
			return 0, r.end()
		case err != nil && len(r.errs) < maxErrors:
			r.errs = append(r.errs, err)
		case err != nil:
			r.more++
		default:
			r.rest = append(append(r.rest[:0], row...), '\n')
		}
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// end is io.EOF if all files were read.
func (r *Reader) end() error {
	if len(r.errs) == 0 {
		return io.EOF
	}
	errs := r.errs
	if r.more > 0 {
		errs = append(errs, fmt.Errorf("and %d more files", r.more))
	}
	return errors.Join(errs...)
}

// Close implements io.Closer.
func (r *Reader) Close() error {
	r.stop()
	return nil
}
