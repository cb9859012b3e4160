//go:build !unix

package openfile

import "math"

// descriptorLimit: these systems have no limit of descriptors for a process that could be asked for.
func descriptorLimit() uint64 { return math.MaxUint64 }
