// Package usage adds up what the agents on a machine used: tokens and cost, by day, project, session, model, agent and pipeline.
//
// In go files, out comes a [Report], which is written as a table for people or as JSON. Each file goes the way of every stream
// (session/pipeline), and all share a registry: what counts, and that copies of a session count once, is decided there
// alone, so the sums are those of the metrics that the receiver exports for the same files.
//
// # Numbers
//
// Input includes what was read from and written to a cache, output includes reasoning, the total is both. A cost is what the
// agent reported, or an estimate by a list of prices, which is marked. What only the end of a run reports is of the day of
// that end.
//
// # Limits
//
// Files are read by as many goroutines as there are cores, line by line; those that may be about the same work one after the other
// (order.go), so that a report is the same every time. The memory for rows grows with the report; what
// telemetry remembers to recognise copies is bounded (see limits in reader.go).
package usage
