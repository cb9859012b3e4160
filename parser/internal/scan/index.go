package scan

import "math/bits"

// indexBlocks is how many blocks an [index] holds: a short line whole.
const (
	indexBlocks = 8
	indexBytes  = indexBlocks * blockBytes
)

// index tells where the quotes stand that end a string, in a part of a document. Most strings of a line are short: one
// index has the ends of many, and finding the next one takes no loop whose end the processor would have to guess.
type index struct {
	from   int
	size   uint // how many bytes it covers
	carry  uint64
	blocks [indexBlocks]marks
}

// load makes the index of the part that begins at i; carry is 1 if the byte there is escaped.
func (x *index) load(data []byte, i int, carry uint64) {
	x.from, x.size = i, uint(min(len(data)-i, indexBytes))
	mark(x.blocks[:], data[i:i+int(x.size)])
	for k := range x.blocks[:(x.size+blockBytes-1)/blockBytes] {
		b := &x.blocks[k]
		_, escaped := b.escapes(&carry)
		b.quotes &^= escaped
	}
	x.carry = carry
}

// stringEnd is the offset behind the string whose first byte behind the opening quote is at i; -1 if it never ends.
func (s *Scanner) stringEnd(i int) int {
	x := &s.index
	if at := uint(i - x.from); at < x.size {
		if ends := x.blocks[at/blockBytes%indexBlocks].quotes >> (at % blockBytes); ends != 0 {
			return i + bits.TrailingZeros64(ends) + 1
		}
	}
	return s.farStringEnd(i)
}

// farStringEnd is stringEnd for a string that leaves the block where it begins.
func (s *Scanner) farStringEnd(i int) int {
	x := &s.index
	at := uint(i - x.from)
	if at >= x.size {
		if i >= len(s.data) {
			return -1
		}
		x.load(s.data, i, 0)
		at = 0
	}
	k := at / blockBytes % indexBlocks
	ends := x.blocks[k].quotes >> (at % blockBytes) << (at % blockBytes)
	for {
		for ends == 0 && (k+1)*blockBytes < x.size {
			k++
			ends = x.blocks[k%indexBlocks].quotes
		}
		if ends != 0 {
			return x.from + int(k*blockBytes) + bits.TrailingZeros64(ends) + 1
		}
		next := x.from + int(x.size)
		if next >= len(s.data) {
			return -1
		}
		x.load(s.data, next, x.carry)
		k, ends = 0, x.blocks[0].quotes
	}
}
