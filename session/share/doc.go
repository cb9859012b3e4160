// Package share decides what one stream exports of its runs and sub-agents, as far as other streams describe them too.
//
// Package account remembers which stream has the first account of what. A [Share] asks it for one stream:
//
//	a run opens               [Share.Classify], then [Share.Opened] or [Share.Join]
//	a sub-agent opens         [Share.ClaimAgent], [Share.ClassifyAgent]
//	a call, a text, a record  [Share.IsElsewhere], [Share.HasSign], [Share.Decide]
//	a run or sub-agent ends   [Share.Written], [Share.EndAgents], [Share.End]: streams that waited can continue
//
// The first account exports everything. A second one exports what the first does not have: items whose IDs nobody exported or, if the IDs
// differ, items without a sign in the first (package twin). A copy of another session's history exports nothing until the session leaves it
// ([Share.LeavesHistory]).
//
// A stream on standard output that was cut can lack the output tokens of its model calls, or all tokens, because their totals come with its
// end. Its transcript has them. If the stream is the first account of the run, the spans of its calls are exported without them, so the run's
// own span has what another account reports (package team), and waits for that account ([Share.AwaitsOther]). What is reported later is only
// in the metrics.
//
// The package does not write anything. A Share is not safe for concurrent use; those of different streams may be used concurrently.
package share
