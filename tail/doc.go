// Package tail finds files, follows them, and delivers their lines as bytes to a [Handler]: each line once, in file order. It
// does not interpret the lines.
//
// # Input and output
//
// A [Tailer] reads files that match [Settings.Include] and do not match [Settings.Exclude]. Both are doublestar globs: ** stands
// for any number of folders and a leading ~ for the home folder. Patterns match absolute paths; a relative pattern starts in the
// working folder. An Exclude pattern that begins with **/ matches anywhere, and one that ends in /** also keeps the folder from
// being listed.
//
// The Handler opens a [Consumer] for each file before its first line. A line ends only at '\n'. An unterminated last line waits
// for its newline, unless it is one complete JSON object and has not changed for [Settings.IdleFlush]: then it is delivered, and
// a newline that arrives later is not a line. A line longer than [Settings.MaxLineSize] is counted and abridged in constant
// memory (package abridge): its members stay, and its long strings are cut ([Line.Abridged]). Such a line is skipped if it is
// neither an object nor an array. Byte order marks and carriage returns are kept.
//
// The offset of a file moves only after [Consumer.Lines] returns nil. Unacknowledged lines are delivered again after a wait that
// doubles from [Settings.RetryInterval] to [Settings.MaxRetryInterval].
//
// Package poll reads sources that are not files of lines: databases, and documents that are rewritten in place. The caller
// decides which source reads a file; [Settings.Skip] excludes the others from the Tailer.
//
// # File selection
//
// Only regular files are opened; pipes, sockets and devices are skipped. A symbolic link to a file is followed, and the file is
// read once however many links it has. A link to a folder is followed unless ** would lead into it, because that could form a
// cycle. Only scans find changes behind such a link, unless the folder is also watched under its own path. A file whose name
// ends in .gz or .zst is decompressed; it is read whole, once, and its last line needs no newline.
//
// Folders are watched, and all files are also scanned periodically, because events are lost in bursts, network file systems send
// none, and systems limit the number of watched folders. In a folder that is not watched, new lines are found within
// [Settings.PollInterval]; one warning says so.
//
// # Identity
//
// A file is identified by its inode, its fingerprint and its path. The fingerprint consists of a hash of the first 1024 bytes
// and a hash of the last 128 bytes before the offset. "Known file" means a file that the Tailer has read before.
//
//	inode   fingerprint     known file                  the path leads to
//	-----   -------------   -------------------------   ------------------------------------------------------
//	same    same            at this or another path     the known file (renamed, or a further link to it)
//	same    different       anywhere                    a rewritten or truncated file, or one that reuses the inode
//	other   same            unlinked or rewritten       the known file, moved or replaced by a longer version; after a
//	                                                    copytruncate, the copy
//	other   same            lost a link, exists under   the known file, replaced by a longer version, if it begins with all
//	                        another                     content of the known one; the file under the other link is from
//	                                                    then on a separate file that begins with the same state
//	other   same            exists                      another file with the same beginning
//	other   different       anywhere                    another file
//
// A rewritten file is read from the beginning as a new stream. Files with different inodes match only if they share at least
// their first 64 bytes. A new file that begins like a followed one is delayed for a second before it is read or matched, because
// it may be the copy of a copytruncate. If an inode was not held open, it is weaker evidence than how far a version was read: it
// may have been reused for a copy or a longer version of another file that begins alike. The fingerprint is compared again after
// each read and before the lines are delivered, so no line mixes old and new bytes.
//
// Each path has a state:
//
//	from       event                                             to
//	--------   -----------------------------------------------   ---------
//	-          the path is found                                 new
//	new        it has content and is not a known file            following
//	new        it is a further link to a followed file           link
//	new        it is a known file under another path             - (the known file takes the path and is followed)
//	following  path removed or reused, and the file has a link   following, under the link
//	following  path removed or reused, and no link is left       unlinked
//	following  rewritten                                         retired, and the path is new
//	unlinked   found under another path                          following
//	unlinked   [Settings.UnlinkGrace] has passed                 retired
//	retired    found under another path                          following
//	link       path removed                                      -
//	link       path reused by another file                       new
//
// # Restarts
//
// A [Settings.Store] holds a checkpoint of each file under the key "file/" and the stream ID, with the file's identity and the
// state of its consumer. It is saved after lines are acknowledged and before the next lines are delivered, and written 20 ms later,
// together with those of other files: in one call if the store is a [Batcher]. A process that is killed therefore repeats of each
// file the batch in flight and what was acknowledged since the last write, and a process that is shut down repeats nothing. After a
// slow write, the next one waits nine times as long, up to a second, so that saving takes at most a tenth of the time; a kill then
// repeats up to one second of lines. A failed write is retried while reading continues: the store then has older checkpoints, so a
// restart repeats lines but loses none.
//
// At start, files with checkpoints are retired files, which the table above finds again: by path and inode, then by inode and
// fingerprint, then by fingerprint alone. If path, inode, size and modification time equal those of the checkpoint, the file is
// not opened unless its consumer has pending output ([Stateful]). A store that is not a [Walker] is asked for each new file by
// the stream ID it would get, so a file renamed while no process ran is treated as another file. The checkpoint of a file not
// found for [Settings.KeepUnlinked] is deleted. [StartAtEnd] skips only files that existed at the last start: files that
// appeared while no process ran are new, whatever their time. For this a Walker also stores an inventory: the patterns of the
// last start and hashes of the files that were skipped then. Without one, and for files of other patterns, a file is new if it
// is not older than the last checkpoint.
//
// A stored value that is broken, or of a newer or older format, is reported to the [Observer] and the log, and its file is read
// as if no value were stored. If the store can't be read at all, Start returns an error.
//
// With [Settings.Replay], a consumer opened for a file that was read before first receives all acknowledged lines again, marked
// [Line.Replayed], and then the new ones: the file itself is the saved state.
//
// # Suspension
//
// An idle consumer that is a [Suspender] releases its state after [Settings.SuspendAfter] without a line, or at once if the file
// had not been written for that long when it was read. Its lines are replayed before the next one, as after a restart. The files
// of thousands of sessions, most of which no longer grow, thus take little memory. Larger files must be idle for longer, and the
// time doubles with each suspension. While more than 512 consumers are active, those read longest ago are suspended at once, or
// after a tenth of the time if they were suspended before.
//
// # Structure
//
// The [Tailer] runs the manager, which asks the file set for the next task. A worker, the reader, makes a visit: it splits bytes
// into lines, delivers them to the Consumer and saves the checkpoint. Then the file set settles the result.
//
//	internal/fileset             all files: which file a path leads to, and what a worker does with it next
//	internal/reader              one pass of a worker over a file, and what it leaves for the next pass
//	../internal/files/stream     what all sources share: Stream, Handler, Consumer, Observer
//	../internal/files/discover   patterns to paths: globs, scans, the watcher
//	.../fingerprint              file IDs and positions in files
//	.../openfile                 handles, including compressed files, and the descriptor count
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
// One goroutine decides what is read, one scans folders, and [Settings.MaxConcurrentFiles] read. A file belongs to one of them
// at a time, so calls of a [Consumer] never overlap; calls of a [Handler] and of the functions of an [Observer] may.
//
// # Limits
//
// Memory is bounded by a few hundred bytes for each known file, plus four times [Settings.BatchBytes] for the lines
// that are being read and delivered, or [Settings.MaxLineSize] for each file that has a line that long. The last 4096 retired
// files are kept. A worker reads up to 4 MiB of a file per turn, or the whole file if it is compressed. At most
// [Settings.MaxConcurrentFiles] + [Settings.MaxOpenFiles] files are open. Idle files are closed while the [Descriptors],
// including those of documents and databases, exceed a quarter of the process limit, or if the system has none left. At most
// half of that quarter is read at the same time.
package tail
