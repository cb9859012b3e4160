package spool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// ErrRewritten means that the writer truncated the file. The next read starts at its first byte.
var ErrRewritten = errors.New("spool was rewritten")

// Tail is one reader of a spool.
type Tail struct {
	spool *Spool
	at    int64
	epoch int
}

// Tail returns a reader that starts at the first byte.
func (s *Spool) Tail() *Tail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Tail{spool: s, epoch: s.epoch}
}

// Read returns what is available: 0 and no error if that is nothing yet, and [io.EOF] after the last byte of a finished spool.
func (t *Tail) Read(p []byte) (int, error) {
	s := t.spool
	s.mu.Lock()
	size, epoch, finished := s.size, s.epoch, s.finished
	s.mu.Unlock()
	if epoch != t.epoch {
		t.at, t.epoch = 0, epoch
		return 0, ErrRewritten
	}
	if t.at >= size {
		if finished {
			return 0, io.EOF
		}
		return 0, nil
	}
	n, err := s.read.ReadAt(p[:min(int64(len(p)), size-t.at)], t.at)
	t.at += int64(n)
	switch {
	case err == nil, n > 0:
		return n, nil
	case errors.Is(err, io.EOF): // truncated since the last poll
		if finished {
			return 0, io.EOF
		}
		return 0, nil
	default:
		return 0, fmt.Errorf("read spool %q at offset %d: %w", s.path, t.at, err)
	}
}

// Wait returns when there may be something to read, or with the error of ctx when ctx ends.
func (t *Tail) Wait(ctx context.Context) error {
	s := t.spool
	s.mu.Lock()
	ready := s.finished || s.size > t.at || s.epoch != t.epoch
	changed := s.changed
	s.mu.Unlock()
	if ready {
		return nil
	}
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Arrival returns when the byte at offset arrived, or zero if that is unknown.
func (t *Tail) Arrival(offset int64) time.Time {
	t.spool.mu.Lock()
	defer t.spool.mu.Unlock()
	return t.spool.arrivals.of(offset)
}

// Left returns how many bytes have arrived but were not read.
func (t *Tail) Left() int64 {
	t.spool.mu.Lock()
	defer t.spool.mu.Unlock()
	return max(0, t.spool.size-t.at)
}

// Reader returns the tail as an io.Reader that waits for more until the spool or ctx ends. After a rewrite, the new bytes
// follow those read before.
func (t *Tail) Reader(ctx context.Context) io.Reader { return &waitingReader{ctx, t} }

type waitingReader struct {
	ctx  context.Context //nolint:containedctx // a Read has no other place for it
	tail *Tail
}

// Read returns at least one byte or an error.
func (r *waitingReader) Read(p []byte) (int, error) {
	for {
		n, err := r.tail.Read(p)
		if n > 0 || len(p) == 0 || err != nil && !errors.Is(err, ErrRewritten) {
			return n, err
		}
		if err := r.tail.Wait(r.ctx); err != nil {
			return 0, err
		}
	}
}
