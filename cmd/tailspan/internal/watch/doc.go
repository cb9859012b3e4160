// Package watch shows the agents that run on this machine.
//
// A reader follows the files and databases of sessions, a [Board] has what is known of their runs, and a [View] draws that as
// lines. [Watch] puts them together: on a terminal as a screen with keys, elsewhere as one line for what happens.
//
// Which runs there are, which sub-agents work in them and how they ended is decided by package telemetry: the Board has the log
// records and spans that it exports, and no rule of its own. A run is at work until its span is there.
//
// # Bounds
//
// At start the files that were changed in the last hour are read, and of older ones the newest, up to [recentFiles] and
// [recentBytes]; of databases what was written within [recentRows]. Others are read when they change. The Board has up to
// [maxRuns] runs, [maxAgents] sub-agents of each, and the last [maxCalls] calls and [maxText] bytes of text of each agent. What
// ended first is evicted first; sub-agents are counted then ([Run.Evicted]).
//
// A Board is safe for use by many goroutines; a View serves one.
package watch
