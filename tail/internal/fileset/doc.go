// Package fileset knows all files that are followed: which file a path leads to, and what a worker does with it next.
//
// A [Set] changes with the results of scans ([Set.Found], [Set.Scanned]), events of watched folders ([Set.Event]), its timers
// ([Set.WakeUp]) and the results of workers ([Set.Settle]). It returns the next [Task] and reads no file itself. The document
// of package tail has the tables of identities and states.
//
//	file                what is known of a path: identity, evidence, schedule and stream
//	index               files by path, inode and head
//	schedule            queues and timers: which file is next
//	kept                open handles and their limit
//	identify, match     which known file a path leads to: the table of identities
//	settle              what the result of a visit means: the table of states
//	active              how many consumers are active, and which are suspended
//	restore             files with checkpoints
//
// A Set is for use by one goroutine. While a worker has a [File], its stream belongs to that worker alone.
package fileset
