//go:build !unix

package doctor

// openFiles is not known on these systems.
func openFiles() uint64 { return 0 }
