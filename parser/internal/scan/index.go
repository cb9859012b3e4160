package scan

import "math/bits"

// indexBlocks is how many blocks an [index] holds: a short line whole.
const (
	indexBlocks = 8
	indexBytes  = indexBlocks * blockBytes
)

// index holds the offsets of the quotes that end a string, in a part of a document. Most strings of a line are short: one
// index has the ends of many, and finding the next one takes no loop whose end the processor would have to guess.
type index struct {
	from, to int    // what it covers
	carry    uint64 // 1 if the byte behind that is escaped
	blocks   [indexBlocks]marks
}

// clear releases the document.
func (x *index) clear() { x.from, x.to = -indexBytes, -indexBytes }

// load makes the index of the part that begins at i; carry is 1 if the byte there is escaped.
func (x *index) load(data []byte, i int, carry uint64) {
	x.from, x.to = i, min(len(data), i+indexBytes)
	n := mark(x.blocks[:], data[i:x.to])
	for k := range x.blocks[:n] {
		b := &x.blocks[k]
		_, escaped := escapes(b.slants, &carry)
		b.quotes &^= escaped
	}
	clear(x.blocks[n:]) // near looks at them as well
	x.carry = carry
}

// near is the offset behind the string whose first byte behind the opening quote is at i, if it ends in the block where
// it begins; else 0. It is small enough to be inlined.
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

// stringEnd is the offset behind the string whose first byte behind the opening quote is at i; -1 if it never ends.
func (s *Scanner) stringEnd(i int) int {
	if end := s.index.near(i); end > 0 {
		return end
	}
	return s.farStringEnd(i)
}

// farStringEnd is stringEnd for a string that leaves the block where it begins.
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
