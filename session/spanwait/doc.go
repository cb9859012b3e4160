// Package spanwait lists the closed runs of a stream whose spans are not written or not acknowledged yet.
//
// The span of a run, or of a sub-agent in a separate stream, carries the total usage including its sub-agents (package team). So it waits for
// those that are active, and so does the record of the run's end:
//
//	closed → written     none of them is active; the last line of its stream was read some time ago ([Wait.Due]); the stream or everything is
//	                     closed for good
//	written → accepted   the output was acknowledged ([List.Accept])
//
// The total then excludes sub-agents that are still active and is marked ([otlp.AttrUsageIncomplete]). A span that is not accepted is in the
// state of its stream ([List.Unwritten]): replaying its lines closes its run again, and the span continues to wait ([List.WasUnwritten]).
//
// The package writes nothing and reads no clock. A nil List is empty. A List is not safe for concurrent use.
package spanwait
