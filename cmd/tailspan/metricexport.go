package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/otlphttp"
	"github.com/tailspan/tailspan/telemetry"
)

// defaultMetricsInterval is the time between two exports of metrics unless told otherwise.
const defaultMetricsInterval = 30 * time.Second

// metricsIntervalVariable is the standard variable for it, in milliseconds.
const metricsIntervalVariable = "OTEL_METRIC_EXPORT_INTERVAL"

// metricsIntervalOf reads the variable; zero if it is not set.
func metricsIntervalOf(getenv func(string) string) (time.Duration, error) {
	value := strings.TrimSpace(getenv(metricsIntervalVariable))
	if value == "" {
		return 0, nil
	}
	ms, err := strconv.Atoi(value)
	if err != nil || ms <= 0 {
		return 0, fmt.Errorf("%s must be milliseconds, got %q", metricsIntervalVariable, value)
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// metricExport sends the metrics of a run. They are cumulative, so one export that fails is made good by the next; only
// the last one is tried again.
type metricExport struct {
	exporter *otlphttp.Exporter // its own: an endpoint that hangs on spans must not hold up metrics
	metrics  *telemetry.Metrics
	every    time.Duration
}

// start exports at each interval, until the function that it gives is called.
func (m *metricExport) start(ctx context.Context) (stop func()) {
	return repeat(ctx, m.every, func(ctx context.Context, now time.Time) error {
		m.exporter.OfferMetrics(ctx, m.metrics.Take(now))
		return nil
	})
}
