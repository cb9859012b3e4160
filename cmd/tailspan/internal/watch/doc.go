// Package watch shows the agents that run on this machine.
//
// A reader follows the files and databases of sessions, a [Board] has what is known of their runs, and a [View] draws that as
// lines. [Watch] puts them together: on a terminal as a screen with keys, elsewhere as one line for what happens.
//
// Which runs there are, which sub-agents work in them and how they ended is decided by package telemetry: the Board has the log
// records and spans that it exports. A run is at work until its span is there; the span of a sub-agent may wait for more than its end,
// so that one is over when its call or its turn is. What an agent used includes what those below it did, at work as in its span.
//
// # Bounds
//
// At start the files that were changed in the last hour are read, and of older ones the newest, up to [recentFiles] and
// [recentBytes]; of databases what was written within [recentRows]. Others are read when they change. The Board has up to
// [maxRuns] runs, [maxAgents] sub-agents of each, and the last [maxCalls] calls and [maxText] bytes of text of each agent. What
// ended first is evicted first, and then what gave no line for the longest time; sub-agents are counted then ([Run.Ended],
// [Run.Dropped]). A [Source] is kept while it is open or something on the board is from it.
//
// A Board is safe for use by many goroutines; a View serves one.
package watch
