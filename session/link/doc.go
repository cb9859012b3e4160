// Package link connects sub-agents that work in separate streams with the runs and calls they work for.
//
// A [Key] names a task of a sub-agent. A [Run] is what sub-agents need to know of their run, a [Call] describes the call that started
// one, and an [End] how that call ended. Streams are read concurrently and in any order, so both sides meet in a [Registry]. The
// parent's stream announces its turns and the agents that its calls start. The child's stream waits for one of these:
//
//	child      waits for                                     gets
//	run        the turn that it names, or its own key        trace, so that its tools and records can be exported
//	its span   its own key, then the end of that call        its parent call, and how that ended
//
//	parent                                   child
//	AnnounceTurn, AnnounceCall               Await: the run, or nil; then an announcement returns the child
//	Background: the agent outlives its call  Lookup: what is known now
//	End: the call is over                    Done: its span was written
//	                                         Leave: its stream ends
//
// The span of a run carries the total usage of its sub-agents (package team), so a stream can wait for them:
// [Registry.AwaitTeam], [Registry.Over], [Registry.ReleaseTeam].
//
// An announcement returns the streams that can now continue; the caller makes them check again. S is the caller's opaque handle
// of a stream. A [Child] is what is known of a sub-agent. It is also stored for a restart and restored by [Registry.Restore]. A
// process has one [Run] per run, whichever of its streams names it first ([Registry.Recall]).
//
// An ID can name a group, such as a workflow. All members of the group get what is announced for its ID.
//
// The package does not know lines, spans or a clock. A Registry and a Run are safe for concurrent use, and no call blocks on
// another stream. Each table keeps its newest keys up to a limit and counts evictions ([Registry.TakeForgotten]).
package link
