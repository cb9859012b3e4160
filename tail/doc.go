// Package tail reads lines: it finds files, follows them, and delivers their lines to a [Handler], each line once, in the
// order of the file, as bytes. It knows nothing of their meaning.
//
// # In and out
//
// [Tailer] reads what matches the patterns of [Settings.Include] and not those of [Settings.Exclude]: doublestar globs, where
// ** is any number of folders and a leading ~ the home folder. Patterns match absolute paths; a relative pattern begins in
// the working folder. A pattern of Exclude that begins with **/ matches anywhere; one that ends in /** also prevents that
// the folder is listed.
//
// For each file the Handler opens a [Consumer], before the first line. A line ends at '\n' and nowhere else; a line without
// one waits for it, except a last line that is one complete JSON object and has not changed for [Settings.IdleFlush]: that
// one is delivered, and a newline that comes later is no line. A line longer than [Settings.MaxLineSize] is counted and
// abridged in constant memory (package abridge): its members stay, and long strings in it are cut ([Line.Abridged]). One
// that is no object or array is skipped. Byte order marks and carriage returns stay.
//
// The offset of a file moves when [Consumer.Lines] has returned nil, and only then. Lines that were not acknowledged are
// delivered again, after a wait that doubles from [Settings.RetryInterval] to [Settings.MaxRetryInterval].
//
// Sources that are no files of lines (documents that are rewritten in place, databases) are those of package poll. The caller
// decides which is which; [Settings.Skip] leaves them out of the Tailer.
//
// # Which files
//
// Only regular files are opened; pipes, sockets and devices are skipped. A symbolic link to a file is followed and the file
// read once, whatever the number of its links. A link to a folder is entered, unless ** leads into it, since it could form a
// cycle; what is written behind such a link is found by scans, if its folder is not watched under its own path. A name that
// ends in .gz or .zst is decompressed; such a file is read whole, once, and its last line needs no newline.
//
// Folders are watched, and all files are scanned from time to time as well: events are lost when too many come at once,
// network file systems send none, and systems limit how many folders may be watched. Where a folder is not watched, a new
// line is seen [Settings.PollInterval] later; a warning says so, once.
//
// # Identity
//
// A file is identified by its inode, its fingerprint, and its path. The fingerprint is a hash of the first 1024 bytes and one
// of the last 128 bytes before the offset.
//
//	inode   fingerprint     path                        it is
//	-----   -------------   -------------------------   ------------------------------------------------------
//	same    same            same or another             the same file (renamed, or a further link to it)
//	same    other           any                         rewritten or truncated, or another file that reuses the inode
//	other   same            the known one is unlinked   the same file, moved or replaced by a longer version;
//	                        or was rewritten            in a copytruncate, the copy
//	other   same            the known one lost a link,  the same file, replaced by a longer version, if that begins with all
//	                        and exists under another    that the known one has; the file under the other link is a file of
//	                                                    its own from then on, which begins with the same state
//	other   same            the known one exists        another file with the same beginning
//	other   other           any                         another file
//
// Rewritten files are read from the beginning, as a new stream. Two files must share 64 bytes at their beginning at least to
// match under two inodes. A file that appears while one with the same beginning is followed waits a second before it is read
// or matched with it: it may be the copy of a copytruncate. An inode that was not held open is weaker evidence than how far a
// version was read: it may have been reused for a copy or a longer version of another file that begins alike. The fingerprint
// is compared again after each read and before the lines are delivered, so that no line is made of old and new bytes.
//
// Each path has a state:
//
//	from       event                                             to
//	--------   -----------------------------------------------   ---------
//	-          the path is found                                 new
//	new        it has content and is no known file               following
//	new        it is a further link to a followed file           link
//	new        it is a known file under another path             - (the known file takes the path and is followed)
//	following  the path is removed or another file's; has a link following, under the link
//	following  the path is removed or another file's             unlinked
//	following  rewritten                                         retired, and the path is new
//	unlinked   found under another path                          following
//	unlinked   [Settings.UnlinkGrace] is over                    retired
//	retired    found under another path                          following
//	link       the path is removed                               -
//	link       the path is another file's                        new
//
// # Restarts
//
// A [Settings.Store] has a checkpoint of each file, with its identity and the state of its consumer, under the key "file/" and
// the stream's id. It is written after lines were acknowledged and before the next are delivered, so a process that is killed
// repeats one batch of a file, and none if it is shut down. After a slow write the next one of that file waits for nine times
// as long, up to a second, so that saving takes a tenth of the time at most; then up to a second's worth is repeated. A write
// that fails is retried and reading continues: the store has an older checkpoint then, and after a restart lines are repeated,
// but none are lost.
//
// At start, the files of checkpoints are retired files, which the table above finds again: by path and inode; by inode and
// fingerprint; by fingerprint alone. A file whose path, inode, size and time are those of its checkpoint is not opened, unless
// its consumer has pending output ([Stateful]). Stores that are no [Walker] are asked for each new file by the stream id that
// it would get, so a file that was renamed while no process ran is another file. The checkpoint of a file that was not found
// for [Settings.KeepUnlinked] is deleted. With [StartAtEnd] only files that existed at the last start are skipped: what came
// while no process ran is new, whatever its time. The store has an inventory for that, if it is a Walker: the patterns of the
// last start, and hashes of the files that were skipped then. Where it has none, and for files of other patterns, a file is new
// that is not older than the last checkpoint.
//
// A stored value that is broken, or of a newer or older format, is reported to the [Observer] and the log, and its file is read
// as if there were none. A store that can't be read at all makes Start fail.
//
// With [Settings.Replay] a consumer that is opened for a file that was read before first receives all acknowledged lines
// again, marked [Line.Replayed], and then the new ones: the file is the saved state.
//
// # Suspension
//
// An idle consumer that is a [Suspender] releases its state when nothing came for [Settings.SuspendAfter], at once if the file
// was not written for so long before it was read. Its lines are replayed before the next one, as after a restart. So the files
// of thousands of sessions, most of which do not grow, take little memory. A file must be idle for longer the larger it is, and
// twice as long after each suspension. While more than 512 consumers are active, those that were read longest ago are suspended
// at once, or after a tenth of the time if they were suspended before.
//
// # Inside
//
// The way of a line: the [Tailer] runs the manager, which asks the set of files for the next task; a worker, the reader, makes a
// visit, whose bytes become lines that it delivers to the Consumer; the checkpoint is saved, and the set settles the result.
//
//	internal/fileset             all files: which file is under a path, what a worker does with it next
//	internal/reader              one pass of a worker over a file, and what it leaves for the next one
//	internal/stream              what a source and its receiver have in common: Stream, Handler, Consumer, Observer
//	../internal/files/discover   patterns to paths: globs, scans, the watcher
//	.../fingerprint              ids of files and positions in them
//	.../openfile                 handles, also of compressed files, and the count of descriptors
//	.../lines                    bytes to lines
//	.../checkpoint               what is stored of a stream
//	.../inventory                which files existed at the last start
//
// # Lifetime
//
// [Line.Data] is valid until the handler returns. [Tailer.Start] scans all files before it returns; [Tailer.Shutdown] returns
// when all consumers are closed and no goroutine is left.
//
// # Goroutines
//
// One goroutine decides what is read, one scans folders, [Settings.MaxConcurrentFiles] read. One of them at a time has a file,
// so a [Consumer] is never called twice at once; a [Handler] and the functions of an [Observer] may be.
//
// # Limits
//
// Memory is bounded by a few hundred bytes for each file known, and for each file that is being read by
// [Settings.BatchBytes], or by [Settings.MaxLineSize] while it has a line that long. The last 4096 retired files are kept. A
// file is read for 4 MiB before others have their turn, but for compressed ones. At most [Settings.MaxConcurrentFiles] +
// [Settings.MaxOpenFiles] files are open. Where [Descriptors], documents and databases included, are more than a quarter of
// what the process may have, or the system has none left, idle files are closed, and no more files are read at the same time
// than half of that quarter.
package tail
