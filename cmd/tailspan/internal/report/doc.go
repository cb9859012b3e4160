// Package report makes a readable account of agent runs from their telemetry, for the command report.
//
// A [Collector] takes the spans and log records of any number of streams, in any order, and arranges them as [Run] values: an
// agent with its items in stream order, a sub-agent at the call that started it. Times, outcomes and IDs are those of the
// telemetry; the package derives none itself. Package report/page writes runs as a page, report/markdown as Markdown.
//
// All texts in the values are safe to show: they have no control characters, bidirectional controls or invisible characters, and
// names are one line. Secrets were removed before (package redact). Contents are cut to [Limits] and marked as cut.
//
// A Collector is used by one goroutine.
package report
