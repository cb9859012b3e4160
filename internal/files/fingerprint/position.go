package fingerprint

import (
	"errors"
	"io"
)

const (
	// HeadSize is how many bytes at the beginning of a file are hashed. A shorter file is hashed whole, and more of it as it grows.
	HeadSize = 1024
	// TailSize is how many bytes before the offset are hashed.
	TailSize = 128
	// MinMatch is how many bytes files with different inodes must share at their beginning to match. The shortest line that an
	// agent was seen to write has 60 bytes; two different files may well share fewer.
	MinMatch = 64
)

// Position is the acknowledged offset of a file and its fingerprint.
type Position struct {
	Offset  int64  // everything before it was acknowledged
	Head    uint64 // hash of the first HeadLen bytes
	Tail    uint64 // hash of the TailLen bytes before Offset
	HeadLen uint16
	TailLen uint8
	// Discard is true if Offset is inside a line that is skipped.
	Discard bool
	// Ahead is how many bytes from Offset on contain no newline. It avoids reading a long unfinished line repeatedly, and is
	// not stored.
	Ahead int64
}

// SameHead reports whether a file that begins with these bytes may be the one of the position.
func (p *Position) SameHead(head []byte) bool {
	return len(head) >= int(p.HeadLen) && Hash(head[:p.HeadLen]) == p.Head
}

// Extend hashes the head again if it is longer now.
func (p *Position) Extend(head []byte) {
	if len(head) > int(p.HeadLen) {
		p.Head, p.HeadLen = Hash(head), uint16(len(head))
	}
}

// Move sets the offset; before holds up to [TailSize] bytes before it.
func (p *Position) Move(offset int64, before []byte) {
	p.Offset, p.Ahead, p.Discard = offset, 0, false
	p.Tail, p.TailLen = Hash(before), uint8(len(before))
}

// HoldsTail reports whether a file has the bytes that were read before the offset.
func (p *Position) HoldsTail(r io.ReaderAt) (bool, error) {
	if p.TailLen == 0 {
		return true, nil
	}
	var before [TailSize]byte
	k := int(p.TailLen)
	whole, err := ReadFull(r, before[:k], p.Offset-int64(k))
	return whole && Hash(before[:k]) == p.Tail, err
}

// ReadFull fills a buffer. It returns false if the file ends before that.
func ReadFull(r io.ReaderAt, buf []byte, at int64) (whole bool, err error) {
	n, err := r.ReadAt(buf, at)
	switch {
	case n == len(buf):
		return true, nil
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF): //nolint:errorlint // io.ReaderAt's contract
		return false, nil
	default:
		return false, err
	}
}

// FNV-1a is a running hash, so one pass over a head yields the hash of each of its prefixes.
const (
	hashStart uint64 = 14695981039346656037
	hashPrime uint64 = 1099511628211
)

// Hash returns the FNV-1a hash of b.
func Hash(b []byte) uint64 {
	h := hashStart
	for _, c := range b {
		h = (h ^ uint64(c)) * hashPrime
	}
	return h
}

// Beginnings calls yield with the length and hash of each prefix of a head, shortest first, until it returns false.
func Beginnings(head []byte, yield func(length int, hash uint64) bool) {
	h := hashStart
	for i, c := range head {
		h = (h ^ uint64(c)) * hashPrime
		if !yield(i+1, h) {
			return
		}
	}
}
