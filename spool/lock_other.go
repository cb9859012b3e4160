//go:build !unix

package spool

import "os"

func hold(*os.File) {}

// InUse is always false here: this system does not show that a child of a killed process still writes.
func InUse(string) bool { return false }

// Lock does nothing: there are no FIFOs on this system, and standard input has one reader.
func Lock(string) (unlock func() error, err error) { return func() error { return nil }, nil }
