//go:build !amd64 || purego

package scan

// markBlocks makes the marks of as many blocks as dst has room for; data must be as long.
func markBlocks(dst []marks, data []byte) { markWords(dst, data) }
