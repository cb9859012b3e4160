// Package otlphttp sends spans, log records and metrics to an OpenTelemetry endpoint: OTLP over HTTP with protobuf bodies, or
// OTLP over gRPC, which is HTTP/2 with the same bodies.
//
// [Exporter.Traces], [Exporter.Logs] and [Exporter.Metrics] return when the endpoint has accepted a batch or refused it
// permanently, or when their context ends. They return the data that was not accepted, also if it was refused, or if address,
// protocol or key are wrong. Between attempts they wait as the endpoint asks (Retry-After, RetryInfo), otherwise from 200 ms
// doubling to 5 s. The protocol does not ask for a retry after an internal error (status 500), but a server that fails for a
// moment often answers so: it is retried for Settings.Patience. Refused data is counted, and reported once per signal; so is what
// an endpoint rejects in a request that it accepts (partial success). A signal that an endpoint lacks while it accepts another is
// reported in one line and dropped.
//
// [FromEnvironment] reads the standard variables (OpenTelemetry specification 1.40, "OTLP exporter configuration"):
// OTEL_EXPORTER_OTLP_ENDPOINT, _HEADERS, _TIMEOUT, _COMPRESSION, _PROTOCOL, _INSECURE, _CERTIFICATE, _CLIENT_CERTIFICATE and
// _CLIENT_KEY, each with its forms for TRACES, LOGS and METRICS, and OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER, OTEL_LOGS_EXPORTER
// and OTEL_METRICS_EXPORTER. It supports http/protobuf and grpc; an endpoint that uses the other protocol is an error that says
// so. HTTPS_PROXY, HTTP_PROXY and NO_PROXY apply.
//
// An Exporter serves one goroutine, except for its counters. It buffers no data: the caller keeps what was not accepted. At most
// 64 KiB of a response are read.
package otlphttp
