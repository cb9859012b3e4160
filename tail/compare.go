package tail

import (
	"bytes"
	"errors"
	"io/fs"

	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/openfile"
)

// probeClaims finds which known file a file is related to, if to any.
func (r *reader) probeClaims(res *result, h openfile.Handle) error {
	for i := range res.claims {
		rel, err := r.probeClaim(&res.claims[i], h, res.size)
		if err != nil || rel != isOther {
			res.claimed, res.relation = i, rel
			return err
		}
	}
	return nil
}

// probeClaim reports whether a file of a size continues where a known one was read up to. Of an unlinked one the
// fingerprint has to do. An existing one can be compared, if it may be the shorter version of the same file.
func (r *reader) probeClaim(c *claim, h openfile.Handle, size int64) (relation, error) {
	same, err := c.pos.HoldsTail(h)
	switch {
	case err != nil || !same:
		return isOther, err
	case c.beside == nil:
		return isNext, nil
	case !c.beside.lost:
		return isCopy, nil
	}
	known, err := r.open(c.beside.path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, openfile.ErrNotRegular):
		return isUnclear, nil // its next visit finds it unlinked
	case errors.Is(err, fs.ErrPermission):
		return isCopy, nil // as far as the system shows
	case err != nil:
		return isOther, err
	}
	rel, err := r.outgrew(c, h, known, size)
	return rel, errors.Join(err, known.Close())
}

// outgrew reports whether a file is a longer version of an existing known one: it has all that this has now, and more. A
// copy that was made while the known one grew has no more than that, so no line is given twice that both will have.
func (r *reader) outgrew(c *claim, h, known openfile.Handle, size int64) (relation, error) {
	info, err := known.Stat()
	if err != nil {
		return isOther, err
	}
	id, _ := fingerprint.IDOf(info)
	tail, err := c.pos.HoldsTail(known)
	switch {
	case err != nil:
		return isOther, err
	case id != c.beside.id || !tail:
		return isUnclear, nil // its next visit finds it unlinked or rewritten, and it may have been copied before
	case info.Size() > size:
		return isCopy, nil
	case info.Size() != c.beside.size:
		return isUnclear, nil // it has to be read first
	}
	same, err := r.sameBytes(h, known, info.Size())
	switch {
	case err != nil || !same:
		return isOther, err
	case info.Size() == size:
		return isEqual, nil
	default:
		return isNext, nil
	}
}

// sameBytes reports whether two files begin with the same n bytes. It stops when the source is shut down.
func (r *reader) sameBytes(a, b openfile.Handle, n int64) (bool, error) {
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
		if whole, err := fingerprint.ReadFull(a, one, at); err != nil || !whole {
			return false, err
		}
		if whole, err := fingerprint.ReadFull(b, two, at); err != nil || !whole {
			return false, err
		}
		if !bytes.Equal(one, two) {
			return false, nil
		}
		at += k
	}
	return true, nil
}
