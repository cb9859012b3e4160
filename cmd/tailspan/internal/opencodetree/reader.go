package opencodetree

import (
	"errors"
	"fmt"
	"io"
	"iter"
)

// maxErrors bounds the failed files that an error names.
const maxErrors = 8

// Reader reads the rows of a folder as lines.
type Reader struct {
	dir  string
	next func() ([]byte, error, bool)
	stop func()
	rest []byte // rest of the current row with its newline
	errs []error
	more int // number of errors beyond maxErrors
}

// Open returns the rows of all trees in a folder as lines. The error that ends the stream, after all rows, reports files that
// could not be read.
func Open(dir string) (*Reader, error) {
	rows, err := Rows(dir)
	if err != nil {
		return nil, err
	}
	next, stop := iter.Pull2(rows)
	return &Reader{dir: dir, next: next, stop: stop}, nil
}

// Sessions returns the IDs of the sessions of all trees in the folder.
func (r *Reader) Sessions() (all []string) {
	trees, _ := find(r.dir)
	w := &walker{yield: func([]byte, error) bool { return true }} // Read reports all errors
	for _, s := range w.sessions(trees) {
		all = append(all, s.id)
	}
	return all
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

// end returns io.EOF if all files were read.
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
