// Package verdict says whether what an agent was run for was done, in one word and one line.
//
// # In and out
//
// In goes what the pipeline made of an agent's stream, or of several that belong together: its spans and records
// ([Reader.Read]), and how the process ended that wrote it ([Reader.Exited]). Out comes a [Verdict]. How a run ended is decided
// by package outcome alone; a verdict is a word for it. The first row that holds counts:
//
//	kind        when
//	----        ----
//	error       the worst run failed or was killed; without a run, the process failed
//	incomplete  the worst run is incomplete, or was interrupted
//	denied      a call was refused, of the agent or of a sub-agent
//	empty       nothing was said, no tool was called and no conversation was compacted
//	ok          else
//
// The worst run is that of [outcome.Verdict.WorseThan], as it is for a step. Of a stream of no known agent nothing shows an end:
// the exit of its process decides.
//
// A reason has at most [ReasonRunes] runes. It may hold contents (the text of an error, the target of a call), as far as the
// pipeline left them in; it is not safe for a terminal.
//
// A [Reader] serves one goroutine at a time.
package verdict
