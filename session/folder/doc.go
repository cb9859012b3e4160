// Package folder links the file of a sub-agent to its run and call if the file's folder names only the session.
//
// The run of the [Session], and if possible the call, is derived from times: the file of a sub-agent begins while its
// call is open. A [Spawn] is a call that started an agent of unknown ID.
//
//	child      waits for                                          gets
//	run        the session to pass the time of its start          the last run that had begun by then
//	its span   the end of the run                                 the only call open at its start, or of
//	                                                              several that whose target is in its prompt
//
// The session's stream announces its runs, its calls and its progress ([Registry.AnnounceRun], [Registry.AnnounceSpawn],
// [Registry.AnnounceTime]). The child's stream calls [Registry.Await] and then [Registry.Find]. An agent ID in a result is
// better evidence and takes precedence (package link); this package is used only if there is none.
//
// What is known of a session is stored for a restart as a [State]. It holds hashes of texts ([Mark]), never the texts.
//
// The package does not know lines or spans. A Registry is safe for concurrent use. It remembers a limited number of sessions,
// 256 runs of each and 256 calls of a run, and counts what exceeds the limits.
package folder
