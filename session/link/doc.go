// Package link connects sub-agents whose work is in streams of their own with the runs and the calls that they work for.
//
// A sub-agent's task has a [Key], a [Run] is what its sub-agents need to know of it, a [Call] started one, an [End] is how that
// call ended. The streams are read in any order and at the same time, so the two sides meet in a [Registry]. The parent's stream
// announces its runs by their turns, and the agents that its calls start; the child's stream waits until one of the two is there:
//
//	child      waits for                                     gets
//	run        the turn that it names, or its own key        trace, so that its tools and records can be exported
//	its span   its own key, then the end of that call        the call that it hangs under, and how it ended
//
//	parent                                   child
//	AnnounceTurn, AnnounceCall               Await: the run, or nil; then it is among those that an announcement returns
//	Background: the agent outlives its call  Lookup: what is known now
//	End: the call is over                    Done: its span was written
//	                                         Leave: its stream ends
//
// The span of a run has the total of what its sub-agents used (package team), so a stream can wait for them: [Registry.AwaitTeam],
// [Registry.Over], [Registry.ReleaseTeam].
//
// An announcement returns the streams that it brings further; the caller has them look again. The streams are the handles S of the
// caller, of which the package knows nothing. What is known of a sub-agent, a [Child], is also what is kept over a restart:
// [Registry.Restore] takes it back. A run has one [Run] in a process, whichever of its streams names it first ([Registry.Recall]).
//
// An id can be that of a group, such as a workflow: each of its members learns what the group's id learns.
//
// The package knows no lines, no spans and no clock. A Registry and a Run are safe for use by many goroutines; no call waits
// for another stream. Each table remembers the newest keys up to its limit; what is evicted is counted ([Registry.TakeForgotten]).
package link
