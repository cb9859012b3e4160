//go:build (!amd64 && !arm64) || purego

package scan

// markBlocks computes the marks of as many blocks as dst has room for; data must have that length.
func markBlocks(dst []marks, data []byte) { markWords(dst, data) }

// markLetters is markBlocks for [letters].
func markLetters(dst []letters, data []byte) {
	for i := range dst {
		dst[i] = letters{slants: markByte((*[blockBytes]byte)(data[i*blockBytes:]), slantWord)}
	}
}
