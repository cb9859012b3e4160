// Package guard decides when a running run needs a warning or a stop: it is silent, takes too long, uses too much, or loops.
//
// # In and out
//
// Input is times and current usage ([Guard.Moved], [Guard.Used], [Guard.Check]); output is [Alarm] values, each once. The owner
// shows their text, and stops the process if one has a reason. A guard reads no clock: times are passed to it, and [Guard.Due]
// returns the next time at which a check has a result.
//
//	limit       warns                                   stops
//	-----       -----                                   -----
//	stall       after StallAfter without a line,        at the same time, with StallKill
//	            once for each silence
//	max_cost    at 80 % of it                           above it
//	max_tokens  at 80 % of it                           above it
//	max_time    at 80 % of it                           when it is over
//
// After the first stop there are no more alarms. Usage that comes with the agent's result stops nothing: the agent is about to exit.
// If it, or another agent of the same program, goes on, its next model call is the stop.
//
// [Spending] sums up the tokens and cost that a stream reports while it runs, by the rules of package ledger, with a list of
// prices if the agent reports no cost. The output of a model call counts as none if its stream does not report it, so an estimate
// is a lower bound until the run ends. [Loops] finds a call that is repeated with the same arguments and result.
//
// Each type serves one goroutine at a time.
package guard
