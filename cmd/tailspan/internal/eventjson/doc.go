// Package eventjson prints events as JSON, one object per line, as docs/events.schema.json describes them: the output of
// `tailspan events` and of `tailspan run --events`.
//
// A [Printer] is an output with the sums of everything printed. [Printer.Open] begins an input, and its [Printed] takes the
// records. [Printer.Summary] prints the last line. [Printer.Flush] writes the buffered output; for a live input this happens
// after each record. Fields that an event lacks are left out. A Printer and its inputs serve one goroutine at a time.
package eventjson
