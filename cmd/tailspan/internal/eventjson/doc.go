// Package eventjson prints events as JSON, one object a line, as docs/events.schema.json describes them: the output of `tailspan
// events` and of `tailspan run --events`.
//
// A [Printer] is an output, and the sum of all that it printed. [Printer.Open] begins an input, and the [Printed] takes its records.
// [Printer.Summary] prints the last line; what is buffered is written by [Printer.Flush], for an input that is live after each record.
// Fields that an event does not have are left out. A Printer and its inputs serve one goroutine at a time.
package eventjson
