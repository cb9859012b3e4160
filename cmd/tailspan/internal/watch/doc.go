// Package watch shows the agents that run on this machine.
//
// A reader follows the files and databases of sessions, a [Board] holds their runs, and a [View] draws the board as lines.
// [Watch] connects them: on a terminal as a screen with keys, elsewhere as one line for each event.
//
// Package telemetry decides which runs and sub-agents exist and how they ended: the Board receives the log records and spans that
// it exports. A run is running until its span arrives. The span of a sub-agent may arrive later than its end, so a sub-agent is
// over when its call or its turn is. The usage of an agent includes that of its sub-agents, while it is running as in its span.
//
// # Bounds
//
// At start the reader reads the files changed in the last hour and the newest older ones, up to [recentFiles] and [recentBytes],
// and what was written to databases within [recentRows]. It reads others when they change. The Board holds up to [maxRuns] runs,
// [maxAgents] sub-agents of each, and the last [maxCalls] calls and [maxText] bytes of text of each agent. It evicts first what
// ended first, then what was silent longest; evicted sub-agents are counted ([Run.Ended], [Run.Dropped]). A [Source] is kept
// while it is open or something on the board refers to it.
//
// A Board is safe for concurrent use; a View serves one goroutine.
package watch
