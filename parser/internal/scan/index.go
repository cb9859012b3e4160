package scan

import "math/bits"

// indexBlocks is the number of blocks that an [index] covers, enough for a short line.
const (
	indexBlocks = 8
	indexBytes  = indexBlocks * blockBytes
)

// index marks the unescaped quotes in a part of a document. Most strings of a line are short: one index covers many, and
// finding the end of one needs no loop with an unpredictable end.
type index struct {
	from, to int    // the part that it covers
	carry    uint64 // 1 if the byte at to is escaped
	blocks   [indexBlocks]marks
}

// clear invalidates the index.
func (x *index) clear() { x.from, x.to = -indexBytes, -indexBytes }

// load builds the index of the part that begins at i; carry is 1 if the byte at i is escaped.
func (x *index) load(data []byte, i int, carry uint64) {
	x.from, x.to = i, min(len(data), i+indexBytes)
	n := mark(x.blocks[:], data[i:x.to])
	for k := range x.blocks[:n] {
		b := &x.blocks[k]
		_, escaped := escapes(b.slants, &carry)
		b.quotes &^= escaped
	}
	clear(x.blocks[n:]) // near reads them as well
	x.carry = carry
}

// near returns the offset after a string if the string ends in the block where it begins, otherwise 0. i is the offset
// after the opening quote. near is small enough to be inlined.
func (x *index) near(i int) int {
	at := uint(i - x.from)
	if at >= indexBytes {
		return 0
	}
	ends := x.blocks[at/blockBytes].quotes >> (at % blockBytes)
	if ends == 0 {
		return 0
	}
	return i + 1 + bits.TrailingZeros64(ends)
}

// stringEnd returns the offset after a string, or -1 if it never ends. i is the offset after the opening quote.
func (s *Scanner) stringEnd(i int) int {
	if end := s.index.near(i); end > 0 {
		return end
	}
	return s.farStringEnd(i)
}

// farStringEnd is stringEnd for a string that extends beyond the block where it begins.
func (s *Scanner) farStringEnd(i int) int {
	x := &s.index
	if i < x.from || i >= x.to {
		if i >= len(s.data) {
			return -1
		}
		x.load(s.data, i, 0)
	}
	at := uint(i - x.from)
	k := at / blockBytes % indexBlocks
	ends := x.blocks[k].quotes >> (at % blockBytes) << (at % blockBytes)
	for {
		for ends == 0 && k+1 < indexBlocks {
			k++
			ends = x.blocks[k].quotes
		}
		if ends != 0 {
			return x.from + int(k*blockBytes) + bits.TrailingZeros64(ends) + 1
		}
		if x.to >= len(s.data) {
			return -1
		}
		x.load(s.data, x.to, x.carry)
		k, ends = 0, x.blocks[0].quotes
	}
}
