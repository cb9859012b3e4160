// Package verdict says in one word and one line whether an agent did what it was run for.
//
// # In and out
//
// Input is the pipeline's output for one agent's stream, or for several related ones: spans and records ([Reader.Read]), and the
// exit of the process that wrote it ([Reader.Exited]). Output is a [Verdict]. Package outcome alone decides how a run ended; a
// verdict names it. The first row that holds counts:
//
//	kind        when
//	----        ----
//	error       the worst run failed or was killed; without a run, the process failed
//	incomplete  the worst run is incomplete, or was interrupted
//	denied      a call was refused, of the agent or of a sub-agent
//	empty       nothing was said, no tool was called and no conversation was compacted
//	ok          otherwise
//
// A run that did nothing and has no result counts as both incomplete and empty ([Verdict.Also]).
//
// The worst run is that of [outcome.Verdict.WorseThan], as for a step. A stream of an unknown agent shows no end: the exit of its
// process decides.
//
// A reason has at most [ReasonRunes] runes. It may hold contents (the text of an error, the target of a call) that the pipeline
// left in; it is not safe for a terminal.
//
// A [Reader] serves one goroutine at a time.
package verdict
