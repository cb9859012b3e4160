// Package team adds up what the sub-agents of a run used that work in streams of their own.
//
// A run's total holds what all that worked for it used, so the span of the run waits for them. Its [Team] knows them by
// [Key]: the calls that ask them announce them ([Team.Asked]), or their streams begin ([Team.Opened]). Each one enters what it
// used itself, without those that work for it ([Team.Over]), so nothing counts twice in whatever order they end. [Team.Use] is
// the sum for an agent of the run, and says what is missing in it.
//
//	at work          its call was seen, or its stream began
//	over             its stream has shown the end of its work, and all that is there was read; or its span was written
//	inline, at work  its work is in the run's own stream, whose ledger has it, and goes on
//	inline           the same, and is over
//
// At work and over follow each other: more may come where the end was shown. What is inline stays so.
//
// A [Task] is what is kept over a restart of one that is over. What a Team knows is dropped once the span of the run and of all
// that have streams was accepted ([Team.Written], [Team.Closed]).
//
// The package knows no streams and no spans. A Team is safe for use by many goroutines. It has at most as many members as its limit
// says; the totals of a run with more are marked as incomplete.
package team
