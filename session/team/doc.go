// Package team adds up what other streams add to the usage of a run: sub-agents that work in separate streams, and what other
// accounts of the run report of its model calls.
//
// The total of a run includes the usage of all its sub-agents, so the run's span waits for them. The run's [Team] identifies
// them by [Key]. A sub-agent becomes a member when a call that starts it is read ([Team.Asked]) or when its stream begins
// ([Team.Opened]). It reports its own usage, without that of its own sub-agents ([Team.Over]), so nothing is counted twice in
// whatever order they end. [Team.Use] returns the sum for one agent of the run and reports whether it is complete.
//
//	at work          its call was seen or its stream began
//	over             its stream showed the end of its work and was read to its end, or its span was written
//	inline, at work  it works in the run's stream, whose ledger counts it, and is still running
//	inline           the same, and it has ended
//
// A member can return from over to at work, because more lines can follow an end. An inline member stays inline.
//
// A model call has the same ID in each account of its run. The first account adds those that lack something ([Calls.Lack]), and
// the others report what they have of each ([Calls.Report]). [Calls.Found] returns what the total of the run lacks of them.
//
// A [Task] is the part of a finished member that is stored for a restart. A Team drops its members once the spans of the run
// and of all members with a stream were accepted ([Team.Written], [Team.Closed]).
//
// The package does not know streams or spans. A Team is safe for concurrent use. Its number of members is limited; the totals
// of a run with more are marked as incomplete.
package team
