// Package ledger adds up the usage of an agent: tokens and cost, by model.
//
// A [Ledger] receives the usage that model calls and the ends of runs report. It returns the tokens that are on no
// other span ([Ledger.Rest]), the total of the agent ([Ledger.Total]), and the part that no model call reported
// ([Ledger.Unseen]). Type Ledger documents the equations. A [Sum] holds tokens and cost, a [ByModel] one sum for each
// model. [Prices] estimate the cost if the agent reports none.
//
// The package knows events, but no spans, streams or runs. Nothing in it is safe for concurrent use.
package ledger
