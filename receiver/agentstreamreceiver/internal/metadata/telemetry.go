package metadata

import (
	"errors"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// Meter is the meter of the component.
func Meter(settings component.TelemetrySettings) metric.Meter {
	return settings.MeterProvider.Meter(ScopeName)
}

// Tracer is the tracer of the component.
func Tracer(settings component.TelemetrySettings) trace.Tracer {
	return settings.TracerProvider.Tracer(ScopeName)
}

// TelemetryBuilder holds the instruments of the component's own metrics.
type TelemetryBuilder struct {
	meter                             metric.Meter
	ReceiverAgentStreamLines          metric.Int64Counter
	ReceiverAgentStreamBytes          metric.Int64Counter
	ReceiverAgentStreamLinesNotParsed metric.Int64Counter
	ReceiverAgentStreamUnknownTypes   metric.Int64Counter
	ReceiverAgentStreamEvents         metric.Int64Counter
	ReceiverAgentStreamAnomalies      metric.Int64Counter
	ReceiverAgentStreamRetries        metric.Int64Counter
	ReceiverAgentStreamSplits         metric.Int64Counter
	ReceiverAgentStreamTruncated      metric.Int64Counter
	ReceiverAgentStreamDropped        metric.Int64Counter
	ReceiverAgentStreamInputDropped   metric.Int64Counter
	ReceiverAgentStreamReadErrors     metric.Int64Counter
	ReceiverAgentStreamStorageErrors  metric.Int64Counter
	ReceiverAgentStreamLag            metric.Int64Gauge
	ReceiverAgentStreamFilesKnown     metric.Int64Gauge
	ReceiverAgentStreamFilesOpen      metric.Int64Gauge
}

// NewTelemetryBuilder makes the instruments.
func NewTelemetryBuilder(settings component.TelemetrySettings) (*TelemetryBuilder, error) {
	builder := TelemetryBuilder{meter: Meter(settings)}
	var err, errs error
	builder.ReceiverAgentStreamLines, err = builder.meter.Int64Counter(
		"otelcol_receiver_agent_stream_lines",
		metric.WithDescription("Lines that were read. [Development]"),
		metric.WithUnit("{line}"),
	)
	errs = errors.Join(errs, err)
	builder.ReceiverAgentStreamBytes, err = builder.meter.Int64Counter(
		"otelcol_receiver_agent_stream_bytes",
		metric.WithDescription("Bytes whose lines every consumer has acknowledged. [Development]"),
		metric.WithUnit("By"),
	)
	errs = errors.Join(errs, err)
	builder.ReceiverAgentStreamLinesNotParsed, err = builder.meter.Int64Counter(
		"otelcol_receiver_agent_stream_lines_not_parsed",
		metric.WithDescription("Lines without events, by reason. [Development]"),
		metric.WithUnit("{line}"),
	)
	errs = errors.Join(errs, err)
	builder.ReceiverAgentStreamUnknownTypes, err = builder.meter.Int64Counter(
		"otelcol_receiver_agent_stream_unknown_types",
		metric.WithDescription("Well-formed objects of types that the parser does not know, by type (bounded). [Development]"),
		metric.WithUnit("{record}"),
	)
	errs = errors.Join(errs, err)
	builder.ReceiverAgentStreamEvents, err = builder.meter.Int64Counter(
		"otelcol_receiver_agent_stream_events",
		metric.WithDescription("Events that the lines contain, by kind. [Development]"),
		metric.WithUnit("{event}"),
	)
	errs = errors.Join(errs, err)
	builder.ReceiverAgentStreamAnomalies, err = builder.meter.Int64Counter(
		"otelcol_receiver_agent_stream_anomalies",
		metric.WithDescription("Anomalies in the streams, by reason. [Development]"),
		metric.WithUnit("{anomaly}"),
	)
	errs = errors.Join(errs, err)
	builder.ReceiverAgentStreamRetries, err = builder.meter.Int64Counter(
		"otelcol_receiver_agent_stream_retries",
		metric.WithDescription("Batches that a consumer refused and that were retried. [Development]"),
		metric.WithUnit("{retry}"),
	)
	errs = errors.Join(errs, err)
	builder.ReceiverAgentStreamSplits, err = builder.meter.Int64Counter(
		"otelcol_receiver_agent_stream_splits",
		metric.WithDescription("Batches that were split in two because a consumer refused their size. [Development]"),
		metric.WithUnit("{batch}"),
	)
	errs = errors.Join(errs, err)
	builder.ReceiverAgentStreamTruncated, err = builder.meter.Int64Counter(
		"otelcol_receiver_agent_stream_truncated",
		metric.WithDescription("Spans and log records that were cut because a consumer refused their size. [Development]"),
		metric.WithUnit("{element}"),
	)
	errs = errors.Join(errs, err)
	builder.ReceiverAgentStreamDropped, err = builder.meter.Int64Counter(
		"otelcol_receiver_agent_stream_dropped",
		metric.WithDescription("Spans and log records that were dropped, by reason. [Development]"),
		metric.WithUnit("{element}"),
	)
	errs = errors.Join(errs, err)
	builder.ReceiverAgentStreamInputDropped, err = builder.meter.Int64Counter(
		"otelcol_receiver_agent_stream_input_dropped",
		metric.WithDescription("Bytes of pipes and commands that were dropped before they were read, by reason. [Development]"),
		metric.WithUnit("By"),
	)
	errs = errors.Join(errs, err)
	builder.ReceiverAgentStreamReadErrors, err = builder.meter.Int64Counter(
		"otelcol_receiver_agent_stream_read_errors",
		metric.WithDescription("Failed reads of files. [Development]"),
		metric.WithUnit("{error}"),
	)
	errs = errors.Join(errs, err)
	builder.ReceiverAgentStreamStorageErrors, err = builder.meter.Int64Counter(
		"otelcol_receiver_agent_stream_storage_errors",
		metric.WithDescription("Offsets that were not stored, or stored ones that were not readable. [Development]"),
		metric.WithUnit("{error}"),
	)
	errs = errors.Join(errs, err)
	builder.ReceiverAgentStreamLag, err = builder.meter.Int64Gauge(
		"otelcol_receiver_agent_stream_lag",
		metric.WithDescription("Bytes of files and spools that are not acknowledged yet, by provider. [Development]"),
		metric.WithUnit("By"),
	)
	errs = errors.Join(errs, err)
	builder.ReceiverAgentStreamFilesKnown, err = builder.meter.Int64Gauge(
		"otelcol_receiver_agent_stream_files_known",
		metric.WithDescription("Files that the globs match. [Development]"),
		metric.WithUnit("{file}"),
	)
	errs = errors.Join(errs, err)
	builder.ReceiverAgentStreamFilesOpen, err = builder.meter.Int64Gauge(
		"otelcol_receiver_agent_stream_files_open",
		metric.WithDescription("Files that are held open. [Development]"),
		metric.WithUnit("{file}"),
	)
	errs = errors.Join(errs, err)
	return &builder, errs
}

// Shutdown exists for the form's sake: no instrument has a callback.
func (builder *TelemetryBuilder) Shutdown() {}
