//go:build unix

package agentstreamreceiver_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// usedCPU returns the processor time that the process has used so far on all cores.
func usedCPU(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
