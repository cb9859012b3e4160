package metadata

import (
	"errors"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"go.opentelemetry.io/collector/component"
)

// Meter is the meter of the component.
func Meter(settings component.TelemetrySettings) metric.Meter {
	return settings.MeterProvider.Meter(ScopeName)
}

// Tracer is the tracer of the component.
func Tracer(settings component.TelemetrySettings) trace.Tracer {
	return settings.TracerProvider.Tracer(ScopeName)
}

// TelemetryBuilder provides an interface for components to report telemetry
// as defined in metadata and user config.
type TelemetryBuilder struct {
	meter                              metric.Meter
	ExporterAgentRenderIgnoredRecords  metric.Int64Counter
	ExporterAgentRenderRenderedRecords metric.Int64Counter
}

// NewTelemetryBuilder provides a struct with methods to update all internal telemetry
// for a component.
func NewTelemetryBuilder(settings component.TelemetrySettings) (*TelemetryBuilder, error) {
	builder := TelemetryBuilder{meter: Meter(settings)}
	var err, errs error
	builder.ExporterAgentRenderIgnoredRecords, err = builder.meter.Int64Counter(
		"otelcol_exporter_agent_render_ignored_records",
		metric.WithDescription("Number of log records that were left out, by reason (foreign, repeated, raw_copy, live, no_reader, unsafe_path). [Development]"),
		metric.WithUnit("{record}"),
	)
	errs = errors.Join(errs, err)
	builder.ExporterAgentRenderRenderedRecords, err = builder.meter.Int64Counter(
		"otelcol_exporter_agent_render_rendered_records",
		metric.WithDescription("Number of log records that were rendered, whether or not their mode and style show them. [Development]"),
		metric.WithUnit("{record}"),
	)
	errs = errors.Join(errs, err)
	return &builder, errs
}
