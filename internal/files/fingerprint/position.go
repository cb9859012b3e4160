package fingerprint

import (
	"errors"
	"io"
)

const (
	// HeadSize is how many bytes of a file's beginning are hashed. Of a shorter file all bytes are, and more as it grows.
	HeadSize = 1024
	// TailSize is how many bytes before the offset are hashed.
	TailSize = 128
	// MinMatch is how many bytes two files must share at their beginning for one to be matched with the other under another
	// inode. The shortest line that an agent was seen to write has 60 bytes; two files may well share fewer.
	MinMatch = 64
)

// Position is the acknowledged offset of a file and its fingerprint.
type Position struct {
	Offset  int64  // everything before it was acknowledged
	Head    uint64 // hash of the first HeadLen bytes
	Tail    uint64 // hash of the TailLen bytes before Offset
	HeadLen uint16
	TailLen uint8
	// Discard is true if Offset is inside of a line that is skipped.
	Discard bool
	// Ahead is how many bytes from Offset on hold no newline. It saves reading a long unfinished line again and again, and is
	// not stored.
	Ahead int64
}

// SameHead reports whether a file that begins with these bytes may be the one of the position.
func (p *Position) SameHead(head []byte) bool {
	return len(head) >= int(p.HeadLen) && Hash(head[:p.HeadLen]) == p.Head
}

// Extend hashes more of the head where there is more.
func (p *Position) Extend(head []byte) {
	if len(head) > int(p.HeadLen) {
		p.Head, p.HeadLen = Hash(head), uint16(len(head))
	}
}

// Move sets the offset; before are the bytes before it, [TailSize] at most.
func (p *Position) Move(offset int64, before []byte) {
	p.Offset, p.Ahead, p.Discard = offset, 0, false
	p.Tail, p.TailLen = Hash(before), uint8(len(before))
}

// HoldsTail reports whether a file has the bytes before the offset that were read.
func (p *Position) HoldsTail(r io.ReaderAt) (bool, error) {
	if p.TailLen == 0 {
		return true, nil
	}
	var before [TailSize]byte
	k := int(p.TailLen)
	whole, err := ReadFull(r, before[:k], p.Offset-int64(k))
	return whole && Hash(before[:k]) == p.Tail, err
}

// ReadFull fills a buffer; not whole: the file ends before.
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

// FNV-1a is a running hash, so that one pass over a head yields the hash of each of its beginnings.
const (
	hashStart uint64 = 14695981039346656037
	hashPrime uint64 = 1099511628211
)

// Hash is the FNV-1a hash of b.
func Hash(b []byte) uint64 {
	h := hashStart
	for _, c := range b {
		h = (h ^ uint64(c)) * hashPrime
	}
	return h
}

// Beginnings calls yield with the length and hash of each beginning of a head, the shortest first, until it returns false.
func Beginnings(head []byte, yield func(length int, hash uint64) bool) {
	h := hashStart
	for i, c := range head {
		h = (h ^ uint64(c)) * hashPrime
		if !yield(i+1, h) {
			return
		}
	}
}
