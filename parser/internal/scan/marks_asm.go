//go:build (amd64 || arm64) && !purego

package scan

// markBlocks makes the marks of as many blocks as dst has room for; data must be as long. SSE2 and NEON, which every
// processor of amd64 and arm64 has, look at 16 bytes at once, words of a register at eight.
//
//go:noescape
func markBlocks(dst []marks, data []byte)

// markLetters is markBlocks for the letters of texts.
//
//go:noescape
func markLetters(dst []letters, data []byte)
