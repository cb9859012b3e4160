// Package sender is `tailspan send`: it delivers recorded work to an OpenTelemetry endpoint.
//
// A file is either a session of an agent, which package recorded reads, or a kept file: OTLP JSON, one request a line, as `tailspan run`
// keeps what it could not send and as the collector's file exporter writes it. Its first bytes say which. A kept file is sent as it
// is; a line of it has at most 128 MiB.
//
// A file that can't be read is part of the error of [Send], and the others are sent. Data that the endpoint has not accepted after
// [Settings.Timeout] ends the sending, as the endpoint would not accept the rest either.
package sender
