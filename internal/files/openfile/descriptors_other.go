//go:build !unix

package openfile

import "math"

// descriptorLimit returns no limit, because these systems do not report one.
func descriptorLimit() uint64 { return math.MaxUint64 }
