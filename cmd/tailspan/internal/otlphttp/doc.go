// Package otlphttp sends spans, log records and metrics to an OpenTelemetry endpoint: OTLP over HTTP with protobuf bodies, or
// OTLP over gRPC, which is HTTP/2 with the same bodies.
//
// [Exporter.Traces], [Exporter.Logs] and [Exporter.Metrics] return when the endpoint has accepted a batch, or refused it for good,
// or when their context ends; what was neither accepted nor refused is returned, also where address, protocol or key are wrong: that says nothing about the data. Between tries an Exporter waits as the endpoint asks
// (Retry-After, or RetryInfo of gRPC), else from 200 ms doubling to 5 s. What the endpoint rejects permanently is counted and reported,
// once per signal. A signal that it does not have while it takes another one is reported in one line, and dropped.
//
// [FromEnvironment] reads the standard variables (OpenTelemetry specification 1.40, "OTLP exporter configuration"):
// OTEL_EXPORTER_OTLP_ENDPOINT, _HEADERS, _TIMEOUT, _COMPRESSION, _PROTOCOL, _INSECURE, _CERTIFICATE, _CLIENT_CERTIFICATE and
// _CLIENT_KEY, each with its forms for TRACES, LOGS and METRICS, and OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER, OTEL_LOGS_EXPORTER and
// OTEL_METRICS_EXPORTER. Of the protocols http/protobuf and grpc are spoken; an endpoint that speaks the other one is an error that
// says so. HTTPS_PROXY, HTTP_PROXY and NO_PROXY count.
//
// An Exporter serves one goroutine, but for its counters. It holds no data of its own: who calls it keeps what was not
// accepted. At most 64 KiB of an answer are read.
package otlphttp
