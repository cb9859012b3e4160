//go:build !unix

package spool

import "os"

func hold(*os.File) {}

func reserve(*os.File) error { return nil }

// InUse returns false, because this system does not show whether a child of a killed process still writes.
func InUse(string) bool { return false }

// Lock does nothing, because this system has no FIFOs and standard input has one reader.
func Lock(string) (unlock func() error, err error) { return func() error { return nil }, nil }
