package scan

// blockBytes is how much of a document is searched at once.
const blockBytes = 64

// marks holds where two bytes are in a block: bit i is of the byte at i.
type marks struct{ quotes, slants uint64 }

// mark makes the marks of data and returns the number of its blocks; dst must have room for them. Beyond the end of data
// nothing is marked.
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
	if whole > 0 { // the end of data and what is before it are a block
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

// escapes gives the backslashes of a block that begin an escape, and the bytes that they escape. carry is 1 if the last
// byte of the block before begins an escape, and becomes so for the next one.
func escapes(slants uint64, carry *uint64) (begin, escaped uint64) {
	if slants|*carry == 0 {
		return 0, 0
	}
	// Of a sequence of backslashes every other one begins an escape, from the first on. Subtracting a run's first bit from the
	// odd bits borrows through the run, so that runs are distinguished by where they begin: at an odd place or an even one.
	const odd = 0xaaaaaaaaaaaaaaaa
	first := slants &^ *carry
	series := (first<<1 | odd) - first ^ odd
	begin, escaped = series&slants, series^(slants|*carry)
	*carry = begin >> (blockBytes - 1)
	return begin, escaped
}

// letters marks the backslashes of a block, and letters that make the escapes of nearly all texts: quote,
// backslash, n, r and t. Other makers of marks than that of amd64 leave those letters out: they only save a look at each.
type letters struct{ slants, simple uint64 }

// markText is mark for the letters of a text.
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
