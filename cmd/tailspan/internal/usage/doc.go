// Package usage sums up what the agents on a machine used: tokens and cost, by day, project, session, model, agent and pipeline.
//
// It reads files and returns a [Report], which is written as a table for people or as JSON. Each file takes the path of every
// stream (session/pipeline), and all share a registry: it alone decides what counts and that copies of a session count once, so
// the sums equal the metrics that the receiver exports for the same files.
//
// # Numbers
//
// Input includes tokens read from and written to a cache, output includes reasoning, the total is both. A cost is what the agent
// reported, or an estimate from a list of prices, marked as such. Usage that only the end of a run reports counts for the day of
// that end.
//
// # Limits
//
// One goroutine for each core reads files, line by line. Files that may be about the same work are read one after another
// (order.go), so that a report is the same every time. The memory for rows grows with the report; the memory of telemetry to
// recognize copies is bounded (see the limits in reader.go).
package usage
