//go:build unix

package agentstreamreceiver_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// usedCPU is what the process has used of all cores so far.
func usedCPU(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
