// Package work holds what agents of one stream are doing: runs, agents, model calls and tool calls, each from its start to its span.
//
//	Run                 a prompt (or start line) to its result; its Top is its own agent
//	└─ Agent            the run's own agent, or a sub-agent below the call that started it
//	   ├─ Chat          a model call; an agent has at most one open
//	   └─ Call          a tool call; its Child is the sub-agent that it started, if that works in this stream
//
// A [Run] decides by its own state whether an event begins another run ([Run.Opens]), whether it has shown its end ([Run.ShowsEnd]), and
// what is known of that ([Run.Evidence]). It has the parts of the IDs of everything below it. An [Agent] covers what happens below it
// ([Agent.Cover]), so that children lie inside their parents. [Open] lists what is open besides the current run, because sub-agents in the
// background and calls without a result outlive their runs, and finds the call of a result ([Open.FindCall]).
//
//	a run closes        then its span may wait: for the exit of the process, for other streams ([LateEnd], [Report])
//	a call closes       then its ID is remembered for later results, up to a limit
//	a sub-agent closes  then later work gets records and calls, but no second span
//
// Which of several streams exports a run is its standing (package account). [Role] is the same for a sub-agent.
//
// The package does not know the lines of a stream, other streams, or what is written. It reads no clock and holds no locks: callers pass
// times and limits. Its types are not safe for concurrent use. They keep no reference to an event except in a [LateEnd].
package work
