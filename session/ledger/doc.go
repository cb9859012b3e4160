// Package ledger keeps what an agent used: tokens and cost, by model.
//
// A [Ledger] is fed with what model calls and the ends of runs report, and answers which tokens are on no other span
// ([Ledger.Rest]), what the agent used in all ([Ledger.Total]), and what nobody measured yet ([Ledger.Unseen]); the equations
// are at its type. A [Sum] is tokens and their cost, [ByModel] a sum for each model. [Prices] estimate the cost of tokens
// where the agent reports none.
//
// The package knows events, and no spans, streams or runs. Nothing in it is safe for use by several goroutines.
package ledger
