//go:build !purego

package scan

// markBlocks makes the marks of as many blocks as dst has room for; data must be as long. SSE2, which every amd64
// processor has, looks at a block in a third of the time that words of eight bytes take.
//
//go:noescape
func markBlocks(dst []marks, data []byte)

// markLetters is markBlocks for the letters of texts.
//
//go:noescape
func markLetters(dst []letters, data []byte)
