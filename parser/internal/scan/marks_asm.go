//go:build (amd64 || arm64) && !purego

package scan

// markBlocks computes the marks of as many blocks as dst has room for; data must have that length. SSE2 and NEON,
// which every amd64 and arm64 processor has, compare 16 bytes at once; plain Go compares eight.
//
//go:noescape
func markBlocks(dst []marks, data []byte)

// markLetters is markBlocks for [letters].
//
//go:noescape
func markLetters(dst []letters, data []byte)
