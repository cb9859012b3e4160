// Package memory is what a renderer knows of earlier events of a stream: open calls, so that a result that carries only an id
// is named and timed; sub-agents, so that their lines are indented and named; and the totals of the run.
//
// [Memory.Take] receives every event in order and returns it completed, valid until the next call. The time of an event is
// its own, else that of the clock for a live stream, else that of the event before. All lists are bounded. A Memory is used by
// one goroutine at a time.
package memory
