// Package export sends the telemetry of a program under `tailspan run` to an OpenTelemetry endpoint while the program runs. What
// cannot be sent or is refused is kept in a file.
//
// [Start] follows the spool of the program independently: whatever the endpoint does, the program and its log continue. Metrics
// have a separate exporter, so that an endpoint that hangs on spans does not delay them. After the program has ended, sending may
// continue for [Settings.Timeout].
//
// The file is OTLP JSON in the temporary folder, and only its owner can read it (0600). It holds the unsent data without secrets;
// `tailspan send` delivers it. Data that cannot be written there either is lost, and counted in the last report.
package export
