// Package fileset knows all files that are followed: which file is under a path, and what a worker does with it next.
//
// A [Set] is changed by what scans found ([Set.Found], [Set.Scanned]), by events of watched folders ([Set.Event]), by its timers
// ([Set.WakeUp]) and by the results of workers ([Set.Settle]); it answers with the next [Task]. It reads no file itself. The
// document of package tail has the tables of identities and of states.
//
//	file                what is known of a path: identity, evidence, schedule and stream
//	index               files by path, inode and head
//	schedule            queues and timers: which file is next
//	kept                open handles, and how many
//	identify, match     which known file is under a path: the table of identities
//	settle              what the result of a visit means: the table of states
//	active              how many consumers are active, and which is suspended
//	restore             files of checkpoints
//
// A Set serves one goroutine. While a worker has a [File], its stream is the worker's alone.
package fileset
