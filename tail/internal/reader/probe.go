package reader

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/discover"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/internal/files/stream"
)

// probe examines the file at a path, so that the manager can decide which file it is.
func (r *Reader) probe(res *Result) {
	info, way, err := stat(res.Path, res.Way)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		res.Outcome = OutcomeUnlinked
		return
	case err == nil && !info.Mode().IsRegular():
		res.Outcome = OutcomeIgnored
		return
	case err == nil && way != discover.WayDirect && r.Globs.HasOwnName(res.Path):
		res.Outcome = OutcomeLink
		return
	}
	var h openfile.Handle
	if err == nil {
		h, err = r.Opener(res.Path)
	}
	if err == nil {
		info, err = h.Stat()
	}
	if err == nil {
		err = r.probeContent(res, h, info)
	}
	if h != nil {
		err = errors.Join(err, h.Close())
	}
	switch {
	case h == nil && errors.Is(err, fs.ErrNotExist): // it was removed between stat and open
		res.Outcome = OutcomeUnlinked
	case err != nil:
		res.Outcome, res.Err = OutcomeFailed, err
	}
}

// stat examines what a path leads to, and whether it has become a link since its folder was scanned.
func stat(path string, way discover.Way) (fs.FileInfo, discover.Way, error) {
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		way = discover.WayLinked
		info, err = os.Stat(path)
	}
	return info, way, err
}

func (r *Reader) probeContent(res *Result, h openfile.Handle, info fs.FileInfo) error {
	res.Size, res.MTime = info.Size(), info.ModTime().UnixNano()
	id, _ := fingerprint.IDOf(info)
	if id != res.ID {
		res.Seek = 0 // not the file that existed at start
	}
	res.ID = id
	n, err := h.ReadAt(r.head[:], 0)
	if err != nil && err != io.EOF { //nolint:errorlint // io.ReaderAt's contract
		return err
	}
	res.Head = append([]byte(nil), r.head[:n]...)
	if len(res.Claims) > 0 {
		return r.probeClaims(res, h)
	}
	res.Pos = fingerprint.Position{}
	res.Pos.Extend(res.Head)
	if err := r.lookup(res); err != nil || res.Seek <= 0 {
		return err
	}
	var before [fingerprint.TailSize]byte
	k := min(res.Seek, fingerprint.TailSize)
	n, err = h.ReadAt(before[:k], res.Seek-k)
	if int64(n) < k {
		if err == io.EOF { //nolint:errorlint // io.ReaderAt's contract
			return nil // it has shrunk since, so all of it is new
		}
		return err
	}
	res.Pos.Move(res.Seek, before[:k])
	res.Pos.Discard = before[k-1] != '\n'
	return nil
}

// lookup asks the store for the probed file once its first line, which is part of the stream ID, is complete. The manager
// decides whether it is that file.
func (r *Reader) lookup(res *Result) error {
	line, _, whole := bytes.Cut(res.Head, []byte{'\n'})
	if _, walks := r.Saver.Store.(checkpoint.Walker); walks || r.Saver.Store == nil || !whole && len(res.Head) < fingerprint.HeadSize {
		return nil
	}
	c, err := r.Saver.Lookup(r.Context, checkpoint.FilePrefix+stream.IDOf(res.Path, line))
	if checkpoint.IsUnusable(err) {
		res.Unusable = err
		return nil
	}
	res.Stored = c
	return err
}

// probeClaims finds which known file, if any, the probed file is related to.
func (r *Reader) probeClaims(res *Result, h openfile.Handle) error {
	for i := range res.Claims {
		rel, err := r.probeClaim(&res.Claims[i], h, res.Size)
		if err != nil || rel != RelationOther {
			res.Claimed, res.Relation = i, rel
			return err
		}
	}
	return nil
}

// probeClaim returns how a file of the given size is related to a known one. For an unlinked one the fingerprint has to
// suffice. An existing one can be compared if it may be the shorter version of the same file.
func (r *Reader) probeClaim(c *Claim, h openfile.Handle, size int64) (Relation, error) {
	same, err := c.Pos.HoldsTail(h)
	switch {
	case err != nil || !same:
		return RelationOther, err
	case c.Beside == nil:
		return RelationNext, nil
	case !c.Beside.Lost:
		return RelationCopy, nil
	}
	known, err := r.Opener(c.Beside.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, openfile.ErrNotRegular):
		return RelationUnclear, nil // its next visit finds it unlinked
	case errors.Is(err, fs.ErrPermission):
		return RelationCopy, nil // as far as can be known
	case err != nil:
		return RelationOther, err
	}
	rel, err := r.outgrew(c, h, known, size)
	return rel, errors.Join(err, known.Close())
}

// outgrew returns RelationNext if a file is a longer version of an existing known one: it has all that the known one has now,
// and more. A copy made while the known one grew has no more than that, so no line that both will have is delivered twice.
func (r *Reader) outgrew(c *Claim, h, known openfile.Handle, size int64) (Relation, error) {
	info, err := known.Stat()
	if err != nil {
		return RelationOther, err
	}
	id, _ := fingerprint.IDOf(info)
	tail, err := c.Pos.HoldsTail(known)
	switch {
	case err != nil:
		return RelationOther, err
	case id != c.Beside.ID || !tail:
		return RelationUnclear, nil // its next visit finds it unlinked or rewritten, perhaps after it was copied
	case info.Size() > size:
		return RelationCopy, nil
	case info.Size() != c.Beside.Size:
		return RelationUnclear, nil // it has to be read first
	}
	same, err := r.sameBytes(h, known, info.Size())
	switch {
	case err != nil || !same:
		return RelationOther, err
	case info.Size() == size:
		return RelationEqual, nil
	default:
		return RelationNext, nil
	}
}

// sameBytes reports whether two files begin with the same n bytes. It stops when the source is shut down.
func (r *Reader) sameBytes(a, b openfile.Handle, n int64) (bool, error) {
	const piece = 64 << 10
	bufs := make([]byte, 2*piece)
	for at := int64(0); at < n; {
		if r.Stop.Closed() {
			return false, nil
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
