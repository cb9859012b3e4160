// Package family links the runs, calls and sub-agents of one stream to those of other streams.
//
// A sub-agent may work in a separate stream. Its stream and that of its parent are read in any order, so each has a [Family]:
//
//	the parent's stream announces     its runs and turns, the agents that its calls start, how these calls end ([Announcer])
//	the sub-agent's stream waits      for its run, then for its call, by ID (package link) or by what its folder shows (package
//	                                  folder); its next lines and its usage count there (child.go, team.go)
//
// What an announcement affects in other streams is collected in [Woken] until the line is done, since no two streams are locked at once. The
// output that a parent's line releases in a child is exported with that line: a replayed line releases it without export, and an
// unacknowledged line has released nothing.
//
// The total usage of a run includes its sub-agents (package team). [Family.Lacks] reports whether some of it is still to come, and
// [Family.Take] adds what is known to the ledger of the run.
//
// The state of a stream includes its links. A sub-agent's stream stores its parent's announcements ([Family.State]). A complete stream is
// not replayed after a restart, but the files of its sub-agents may not have been read yet, so it also stores what they need to know
// ([Family.Unseen]).
//
// The package writes nothing and reads no clock. A Family is not safe for concurrent use; those of different streams may be used
// concurrently.
package family
