package export

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/otlphttp"
	"github.com/tailspan/tailspan/internal/ticker"
	"github.com/tailspan/tailspan/otlp/metrics"
)

// DefaultMetricsInterval is the default of --metrics-interval.
const DefaultMetricsInterval = 30 * time.Second

// MetricsIntervalVariable is the standard variable for this interval, in milliseconds.
const MetricsIntervalVariable = "OTEL_METRIC_EXPORT_INTERVAL"

// MetricsInterval reads the variable. It returns zero if the variable is not set.
func MetricsInterval(getenv func(string) string) (time.Duration, error) {
	value := strings.TrimSpace(getenv(MetricsIntervalVariable))
	if value == "" {
		return 0, nil
	}
	return otlphttp.Milliseconds(MetricsIntervalVariable, value)
}

// temporalityVariable is the standard variable for the aggregation temporality.
const temporalityVariable = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"

// Delta reports whether the variable asks for delta temporality, as lowmemory does for our instruments (specification 1.40).
func Delta(getenv func(string) string) (bool, error) {
	switch value := strings.ToLower(strings.TrimSpace(getenv(temporalityVariable))); value {
	case "", "cumulative":
		return false, nil
	case "delta", "lowmemory":
		return true, nil
	default:
		return false, fmt.Errorf("%s must be cumulative, delta or lowmemory, got %q", temporalityVariable, value)
	}
}

// metricExport sends the metrics of a run. The next export repeats the data of a failed one; only the last export is retried.
type metricExport struct {
	exporter *otlphttp.Exporter // separate: an endpoint that hangs on spans must not delay metrics
	metrics  *metrics.Set
	every    time.Duration
}

// start exports at each interval until stop is called.
func (m *metricExport) start(ctx context.Context) (stop func()) {
	return ticker.Start(ctx, m.every, func(ctx context.Context, now time.Time) error {
		if m.exporter.OfferMetrics(ctx, m.metrics.Take(now)) {
			m.metrics.Accepted()
		}
		return nil
	})
}
