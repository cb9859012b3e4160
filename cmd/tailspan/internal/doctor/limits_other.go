//go:build !unix

package doctor

// openFiles returns 0: the limit is unknown on these systems.
func openFiles() uint64 { return 0 }
