package export_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/export"
)

func TestMetricsInterval(t *testing.T) {
	for value, want := range map[string]time.Duration{"": 0, "250": 250 * time.Millisecond, " 60000 ": time.Minute} {
		got, err := export.MetricsInterval(func(string) string { return value })
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, value := range []string{"0", "-1", "soon"} {
		_, err := export.MetricsInterval(func(string) string { return value })
		assert.ErrorContains(t, err, "OTEL_METRIC_EXPORT_INTERVAL must be milliseconds, got ")
	}
}
