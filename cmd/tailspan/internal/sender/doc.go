// Package sender is `tailspan send`: it delivers recorded work to an OpenTelemetry endpoint.
//
// A file is either an agent session, which package recorded reads, or a kept file: OTLP JSON, one request per line, in which
// `tailspan run` keeps unsent data, and which the collector's file exporter writes. Its first bytes decide. A kept file is sent
// unchanged; its lines have at most 128 MiB.
//
// An unreadable file is reported in the error of [Send] and does not stop the others. If the endpoint does not accept data within
// [Settings.Timeout], sending stops, since the endpoint would not accept the rest either.
package sender
