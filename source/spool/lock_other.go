//go:build !unix

package spool

// Lock does nothing: there are no FIFOs on this system, and standard input has one reader.
func Lock(string) (unlock func() error, err error) { return func() error { return nil }, nil }
