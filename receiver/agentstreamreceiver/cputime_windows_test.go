package agentstreamreceiver_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// cpuTime returns the processor time that the process has used so far on all cores.
func cpuTime(tb testing.TB) time.Duration {
	tb.Helper()
	process, err := syscall.GetCurrentProcess()
	require.NoError(tb, err)
	var begun, ended, kernel, user syscall.Filetime
	require.NoError(tb, syscall.GetProcessTimes(process, &begun, &ended, &kernel, &user))
	// These two are durations in units of 100 ns, so Filetime's own conversion to a date is not usable.
	length := func(t syscall.Filetime) time.Duration {
		return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
	}
	return length(kernel) + length(user)
}
