// Package otlphttp sends spans, log records and metrics to an OpenTelemetry endpoint: OTLP over HTTP with protobuf bodies, or
// OTLP over gRPC, which is HTTP/2 with the same bodies.
//
// In goes what package telemetry hands on; [Exporter.Traces], [Exporter.Logs] and [Exporter.Metrics] return when the
// endpoint has accepted it, or refused it for good, or when their context ends. Between tries it waits, as the endpoint asks by Retry-After, else from 200 ms
// doubling to 5 s. What the endpoint rejects permanently is counted and reported, once per signal.
//
// [FromEnvironment] reads the standard variables (OpenTelemetry specification 1.40, "OTLP exporter configuration"):
// OTEL_EXPORTER_OTLP_ENDPOINT, _HEADERS, _TIMEOUT, _COMPRESSION and _PROTOCOL, each with its forms for TRACES, LOGS and METRICS, and
// OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER, OTEL_LOGS_EXPORTER and OTEL_METRICS_EXPORTER. Of the protocols http/protobuf and grpc are
// spoken; an endpoint that speaks the other one is an error that says so.
//
// An Exporter serves one goroutine, but for its counters. It holds no data of its own: who calls it keeps what was not
// accepted. At most 64 KiB of an answer are read.
package otlphttp
