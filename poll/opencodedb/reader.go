package opencodedb

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"time"
)

// Reader reads all rows of a database as lines.
type Reader struct {
	follower *Follower
	rows     []Row
	rest     []byte // of the current row and its newline
	err      error
}

// Open returns the rows of a database as lines.
func Open(path string, s Settings) (*Reader, error) {
	r := &Reader{follower: NewFollower(path, s)}
	err := r.fill()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	r.err = err
	return r, nil
}

// Sessions returns the IDs of the sessions that the database has so far, in no order.
func (r *Reader) Sessions() []string { return slices.Collect(maps.Keys(r.follower.sessions)) }

// Read implements io.Reader.
func (r *Reader) Read(b []byte) (int, error) {
	for len(r.rest) == 0 {
		if len(r.rows) == 0 && r.err == nil {
			r.follower.Acknowledge()
			r.err = r.fill()
		}
		if r.err != nil {
			return 0, r.err
		}
		r.rest = append(r.rows[0].Data, '\n')
		r.rows = r.rows[1:]
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// fill reads the next rows; it returns io.EOF if there are no more. A database that changes during the read is scanned again.
func (r *Reader) fill() error {
	for {
		batch, err := r.follower.Next(context.Background())
		switch {
		case err != nil:
			return err
		case len(batch.Rows) > 0:
			r.rows = batch.Rows
			return nil
		case !r.follower.wholeAt.IsZero():
			return io.EOF
		}
		<-time.After(settled)
	}
}

// Close implements io.Closer.
func (r *Reader) Close() error { return r.follower.Close() }
