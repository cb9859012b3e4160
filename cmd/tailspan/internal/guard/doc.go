// Package guard says when a run that is at work is to be warned about or stopped: it is silent, takes too long, uses too much, or
// goes in circles.
//
// # In and out
//
// In go times and what was used until then ([Guard.Moved], [Guard.Used], [Guard.Check]); out come [Alarm] values, each once. The
// owner shows their text, and stops the process where one has a reason. A guard reads no clock: times are passed to it, and
// [Guard.Due] is the next one at which a check has a result.
//
//	limit       warns                                   stops
//	-----       -----                                   -----
//	stall       after StallAfter without a line,        at the same time, with StallKill
//	            once for each silence
//	max_cost    at 80 % of it                           above it
//	max_tokens  at 80 % of it                           above it
//	max_time    at 80 % of it                           when it is over
//
// After the first stop there are no more alarms.
//
// [Spending] adds up what a stream reports of tokens and cost while it goes on, by the rules of package ledger, with a list of
// prices where the agent reports no cost; the output of a model call that its stream does not report counts as none, so an
// estimate is a lower bound until the run ends. [Loops] finds a call that is made again and again with the same arguments and
// result.
//
// Each type serves one goroutine at a time.
package guard
