// Package folder links the file of a sub-agent to the run and the call that it works for, where the folder of the file names no
// more than the session.
//
// Which run of the [Session] it belongs to, and maybe which call, follows from time: the file of a sub-agent begins while its call
// is open. A [Spawn] is a call that started an agent of unknown id.
//
//	child      waits for                                          gets
//	run        the session to reach a later time than its own     the last run that had begun by then
//	its span   the end of the run                                 the one call that was open when it began, and of
//	                                                              several that whose target is in its prompt
//
// The session's stream announces its runs, its calls and how far it has come ([Registry.AnnounceRun], [Registry.AnnounceSpawn],
// [Registry.AnnounceTime]); the child's stream asks [Registry.Await] and then [Registry.Find]. An agent id in a result is better
// evidence and has precedence (package link); this one is used only where no id comes.
//
// What is known of a session is kept over a restart as a [State]. It has no texts, but hashes of them ([Mark]).
//
// The package knows no lines and no spans. A Registry is safe for use by many goroutines. It remembers as many sessions as its
// limit says, 256 runs of each, and 256 calls of a run; what there is no room for is counted.
package folder
