// Package metrics counts the work of agents: tokens, cost, durations of calls and runs, retries.
//
// A [Set] holds the series of all streams and exports them with cumulative or delta temporality. A [Meter] adds measurements of
// one stream: it finds the stream's few series by their [Key] and adds in bulk, because all streams share the same series and
// their lock. A table (instruments.go) maps instruments to metrics, units and buckets for each version of the conventions.
//
// Series and tool names are bounded ([Settings]); everything beyond is counted under otel.metric.overflow. No series has a
// session, a run or a path. A Meter is not safe for concurrent use, a Set is.
package metrics
