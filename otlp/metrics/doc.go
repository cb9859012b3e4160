// Package metrics counts what agents do: tokens, cost, durations of calls and runs, retries.
//
// A [Set] has the series of all streams, and exports them cumulative or as deltas. A [Meter] adds to it for one stream: it
// finds the stream's few series by their [Key] and adds in bulk, since all streams share the same series and their lock.
// Which metric an instrument is, and its unit and buckets, is one table (instruments.go), by version of the conventions.
//
// Series and the names of tools are bounded ([Settings]); what a limit leaves out is counted under otel.metric.overflow.
// No series has a session, a run or a path. A Meter is used by one goroutine at a time, a Set by any number.
package metrics
