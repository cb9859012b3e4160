package scan

// blockBytes is the number of bytes of a document that are searched at once.
const blockBytes = 64

// marks holds the positions of quotes and backslashes in a block: bit i is for the byte at i.
type marks struct{ quotes, slants uint64 }

// mark computes the marks of data and returns the number of its blocks. dst must have room for them. Nothing is marked
// beyond the end of data.
func mark(dst []marks, data []byte) int {
	whole := len(data) / blockBytes
	if whole > 0 {
		markBlocks(dst[:whole], data)
	}
	rest := uint(len(data) % blockBytes)
	if rest == 0 {
		return whole
	}
	last := dst[whole : whole+1]
	if whole > 0 { // search the last blockBytes bytes of data as one block
		markBlocks(last, data[len(data)-blockBytes:])
		last[0].quotes >>= blockBytes - rest
		last[0].slants >>= blockBytes - rest
		return whole + 1
	}
	var padded [blockBytes]byte
	copy(padded[:], data)
	markBlocks(last, padded[:])
	return 1
}

// escapes returns the backslashes of a block that begin an escape, and the bytes that they escape. carry is 1 if the
// last byte of the previous block begins an escape; escapes updates it for the next block.
func escapes(slants uint64, carry *uint64) (begin, escaped uint64) {
	if slants|*carry == 0 {
		return 0, 0
	}
	// In a sequence of backslashes every other one begins an escape, starting with the first. Subtracting the first bit of a
	// sequence from the odd bits borrows through the sequence, which separates sequences that begin at odd and at even places.
	const odd = 0xaaaaaaaaaaaaaaaa
	first := slants &^ *carry
	series := (first<<1 | odd) - first ^ odd
	begin, escaped = series&slants, series^(slants|*carry)
	*carry = begin >> (blockBytes - 1)
	return begin, escaped
}

// letters marks the backslashes of a block, and in simple the letters of nearly all escapes: quote, backslash, n, r and
// t. The plain Go implementation leaves simple empty; it only saves a check of each escape.
type letters struct{ slants, simple uint64 }

// markText is mark for [letters].
func markText(dst []letters, data []byte) int {
	whole := len(data) / blockBytes
	if whole > 0 {
		markLetters(dst[:whole], data)
	}
	rest := len(data) % blockBytes
	if rest == 0 {
		return whole
	}
	var padded [blockBytes]byte
	copy(padded[:], data[whole*blockBytes:])
	markLetters(dst[whole:whole+1], padded[:])
	return whole + 1
}
