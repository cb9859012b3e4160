package program

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseUsage(t *testing.T) {
	stat := []byte("42 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20\n")
	got, err := parseUsage(stat, []byte("Name:\tx\nVmHWM:\t   2048 kB\nVmRSS:\t    1024 kB\n"))
	require.NoError(t, err)
	assert.Equal(t, Usage{CPU: 3 * time.Second, RSS: 1 << 20, PeakRSS: 2 << 20}, got)

	for _, bad := range []struct{ name, stat, status string }{
		{"too short", "42 (a) S 1 2", ""},
		{"no number", "42 (a) S 1 2 3 4 5 6 7 8 9 10 x 50", ""},
		{"no size", string(stat), "VmRSS:\tmuch\n"},
	} {
		_, err := parseUsage([]byte(bad.stat), []byte(bad.status))
		assert.ErrorContains(t, err, "parse usage", bad.name)
	}
}

func TestMeasureUsage(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc here")
	}
	got, err := MeasureUsage(os.Getpid())
	require.NoError(t, err)
	assert.Positive(t, got.RSS)
	assert.GreaterOrEqual(t, got.PeakRSS, got.RSS)
	before, err := MeasureRead(os.Getpid())
	require.NoError(t, err)
	stat, err := os.ReadFile("/proc/self/stat")
	require.NoError(t, err)
	after, err := MeasureRead(os.Getpid())
	require.NoError(t, err)
	assert.GreaterOrEqual(t, after-before, int64(len(stat)))
	_, err = MeasureRead(-1)
	assert.ErrorContains(t, err, "read usage")
	_, err = MeasureUsage(-1)
	assert.ErrorContains(t, err, "read usage")
}
