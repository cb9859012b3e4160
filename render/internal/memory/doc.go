// Package memory holds what a renderer knows about earlier events of a stream: open calls, so that a result that has only an
// ID is named and timed; sub-agents, so that their lines are indented and named; and the totals of the run.
//
// [Memory.Take] receives every event in order and returns it completed, valid until the next call. The time of an event is its
// own, or that of the clock for a live stream, or that of the previous event. All lists are bounded. A Memory must be used by
// one goroutine at a time.
package memory
