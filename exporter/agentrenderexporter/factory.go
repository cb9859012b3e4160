package agentrenderexporter

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"

	"github.com/tailspan/tailspan/exporter/agentrenderexporter/internal/metadata"
)

// NewFactory returns the factory of the exporter.
func NewFactory() exporter.Factory {
	return exporter.NewFactory(
		metadata.Type,
		createDefaultConfig,
		exporter.WithLogs(createLogs, metadata.LogsStability),
	)
}

func createLogs(ctx context.Context, set exporter.Settings, config component.Config) (exporter.Logs, error) {
	cfg := config.(*Config)
	pattern, err := parsePathPattern(cfg.Output)
	if err != nil {
		return nil, err
	}
	e, err := newExporter(cfg, set.TelemetrySettings, opener(cfg, pattern, set.Logger))
	if err != nil {
		return nil, err
	}
	return wrap(ctx, set, cfg, e)
}

// wrap adds what the collector's helper provides: retry, queue, and the common metrics.
func wrap(ctx context.Context, set exporter.Settings, cfg *Config, e *renderExporter) (exporter.Logs, error) {
	return exporterhelper.NewLogs(ctx, set, cfg, e.push,
		exporterhelper.WithStart(e.start),
		exporterhelper.WithShutdown(e.shutdown),
		exporterhelper.WithCapabilities(consumer.Capabilities{MutatesData: false}),
		exporterhelper.WithTimeout(exporterhelper.TimeoutConfig{Timeout: 0}), // a reader may block a pipe indefinitely
		exporterhelper.WithRetry(cfg.RetryConfig),
		exporterhelper.WithQueue(cfg.QueueConfig),
	)
}
