// Package export sends what the program of `tailspan run` does to an OpenTelemetry endpoint while it works, and keeps in a file
// what could not be sent.
//
// [Start] follows the spool of the program for itself: whatever the endpoint does, the program and its log go on. Metrics have
// an exporter of their own, so that an endpoint that hangs on spans does not hold them up. When the program has ended, sending may go on
// for [Settings.Timeout].
//
// The file is OTLP JSON in the folder for temporary files, which only its owner can read (0600). It holds what would have been sent,
// without secrets; `tailspan send` delivers it. What can't be written there either is lost, and counted in the last report.
package export
