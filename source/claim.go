package source

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
)

// probeClaim tells whether a file goes on where a known one was read up to. Of one that is gone its head and mark have to
// do. One that is still there can be asked: two files that both go on must not be taken for one for less than all that was
// read.
func (r *reader) probeClaim(res *result, h handle) error {
	same, err := holdsMark(h, res.claim)
	if err != nil || !same || res.beside == "" {
		res.claimed = same
		return err
	}
	known, err := r.open(res.beside)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotRegular) {
		res.claimed = true // it is gone by now
		return nil
	}
	if err != nil {
		return err
	}
	info, err := known.Stat()
	if err == nil {
		if id, _ := idOf(info); id != res.besideID {
			res.claimed = true
		} else {
			res.claimed, err = r.sameBytes(h, known, res.claim.offset)
		}
	}
	return errors.Join(err, known.Close())
}

// sameBytes tells whether two files begin with the same n bytes. It gives up when the source is being stopped.
func (r *reader) sameBytes(a, b handle, n int64) (bool, error) {
	const piece = 64 << 10
	bufs := make([]byte, 2*piece)
	for at := int64(0); at < n; {
		select {
		case <-r.stop:
			return false, nil
		default:
		}
		k := min(n-at, piece)
		one, two := bufs[:k], bufs[piece:piece+k]
		if whole, err := readFull(a, one, at); err != nil || !whole {
			return false, err
		}
		if whole, err := readFull(b, two, at); err != nil || !whole {
			return false, err
		}
		if !bytes.Equal(one, two) {
			return false, nil
		}
		at += k
	}
	return true, nil
}

// readFull fills a buffer; not whole: the file ends before.
func readFull(h handle, buf []byte, at int64) (whole bool, err error) {
	n, err := h.ReadAt(buf, at)
	switch {
	case n == len(buf):
		return true, nil
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF): //nolint:errorlint // io.ReaderAt's contract
		return false, nil
	default:
		return false, err
	}
}
