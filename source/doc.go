// Package source says where lines come from: it finds files, follows them, and hands their lines to a [Handler], each
// line once, in the order of the file, and as nothing but bytes. What the lines mean is none of its business.
//
// # In and out
//
// [Files] reads what matches the patterns of [Settings.Include] and not those of [Settings.Exclude]: doublestar globs,
// where ** is any number of folders and a leading ~ the home folder. Patterns match absolute paths; a relative pattern
// begins in the working folder. A pattern of Exclude that begins with **/ matches anywhere; one that
// ends in /** also spares looking into the folder.
//
// For each file the [Handler] is asked for a [Consumer], before the first line. A line ends at '\n' and nowhere else; a
// line without one waits for it, but for a last line that is one complete JSON object and has been there for
// [Settings.IdleFlush]: that one is taken, and if its newline comes later, it is no line. A line longer than
// [Settings.MaxLineSize] is counted and, in constant memory, abridged (package abridge): its members stay, and long strings
// in it are cut ([Line.Abridged]). One that is no object or array is skipped. Byte order marks and carriage returns stay.
//
// The position in a file moves when [Consumer.Lines] has returned nil, and only then. Lines that were not accepted come
// again, after a wait that doubles from [Settings.RetryInterval] to [Settings.MaxRetryInterval].
//
// [Polled] follows what is no file of lines: documents that are rewritten in place, OpenCode's databases and its older
// trees. Which is which is for the caller to say; [Settings.Skip] keeps them from Files.
//
// # Which files
//
// Only regular files are opened; pipes, sockets and devices are left alone. A symbolic link to a file is followed and
// the file read once, whatever the number of its names. A link to a folder is entered, unless ** leads into it, since it
// could lead in a circle; what is written behind such a link is seen by polling, if its folder is not watched by its own
// name. A name that ends in .gz or .zst is decompressed; such a file is read whole, once, and its last line needs no newline.
//
// Folders are watched, and all files are looked at from time to time besides: events get lost when too many come at
// once, network file systems send none, and systems limit how many folders may be watched. Where a folder is not
// watched, a new line is seen [Settings.PollInterval] later; a warning says so, once.
//
// # Identity
//
// A file is known by its inode, a hash of its first 1024 bytes (its head), a hash of the last 128 bytes before the
// position (its mark), and its path:
//
//	inode   head and mark   path                        it is
//	-----   -------------   -------------------------   ------------------------------------------------------
//	same    same            same or another             the same file (renamed, or one more name for it)
//	same    other           any                         rewritten or truncated, or another file given the number
//	other   same            the known one is gone       the same file, moved or replaced by a longer version;
//	                        or was rewritten            in a copytruncate, the copy
//	other   same            the known one lost a name,  the same file, replaced by a longer version, if that begins with all
//	                        and is there by another     that the known one has; what stands under the other name is a file
//	                                                    of its own from there on, which begins with the same state
//	other   same            the known one is there      another file with the same beginning
//	other   other           any                         another file
//
// Rewritten files are read from the beginning, as a new stream. Two files must share a head of 64 bytes at least to be
// taken for one under two inodes. A file that appears while one with the same head is followed waits a second before it
// is read or taken for it: it may be the copy of a copytruncate. An inode that nobody held open since tells less than how
// far a version was read: it may have been given to a copy or a longer version of another file that begins alike. Head and
// mark are looked at again after each read and before the lines are handed over, so that no line is made of old and new bytes.
//
// What is known of a path is a state:
//
//	from       what happens                                      to
//	--------   -----------------------------------------------   --------
//	-          the path is seen                                  new
//	new        it has content and is no known file               followed
//	new        it is a second name of a followed file            alias
//	new        it is a known file under another path             - (the known file takes the path and is followed)
//	followed   the path is gone or another file's; has an alias  followed, under the alias
//	followed   the path is gone or another file's                gone
//	followed   rewritten                                         closed, and the path is new
//	gone       found under another path                          followed
//	gone       [Settings.GoneGrace] is over                      closed
//	closed     found under another path                          followed
//	alias      the path is gone                                  -
//	alias      the path is another file's                        new
//
// # Restarts
//
// With a [Settings.Store] the position of each file is kept, with what tells that it is the same file, under the key
// "file/" and the stream's id. It is written after lines were accepted and before the next are handed over, so a process
// that is killed gives one batch of a file again, and none if it is shut down. A write that takes long makes the next one
// of that file wait for nine times as long, up to a second, so that saving takes a tenth of the time at most; then what
// comes again is up to a second's worth. A value that can't be written is tried again and reading goes on: what is in the
// store is old then, and what comes after a restart comes twice, but nothing is lost.
//
// At start, stored files are files that are gone, which the table above finds again: by path and inode; by inode, head and
// mark; by head and mark alone. A file whose path, inode, size and time are those that were stored is not opened, unless
// its consumer owes something ([Stateful]). Stores that are no [Walker] are asked for each new file by the name that it
// would be given, so a file that was renamed while nobody looked is another file. What a store has of files that were not
// found for [Settings.KeepGone] is deleted. With [StartAtEnd] only files that were there at
// the last start are skipped: what came while no process looked is new, whatever its time. The store has an inventory for that,
// if it is a [Walker]: the patterns of the last start, and hashes of the files that were left out then. Where it has none, and for
// files of other patterns, a file is new that is not older than the last stored position.
//
// A stored value that is broken or was written by a newer version is reported, to the [Observer] and the log, and its file
// is read as if there were none. A store that can't be read at all makes Start fail.
//
// With [Settings.Replay] a consumer that is opened for a file that was read before is first given its lines again, from
// the first that was accepted, marked [Line.Replayed], and then reading goes on: the file is the saved state.
//
// # Rest
//
// A consumer that is [Resting] lets go of what its lines tell when nothing came for [Settings.RestAfter], at once if the file
// was not written to for so long before it was read. Before the next line it is given all lines again, as after a restart.
// The files of thousands of sessions of which one grows now and then so take little memory. A file must be quiet for longer
// the larger it is, and twice as long after each rest. While more than 512 consumers are awake, those that were read longest
// ago rest at once, or after a tenth of the time if they have rested before.
//
// # Lifetime
//
// [Line.Data] is valid until the handler returns. [Files.Start] looks at all files before it returns;
// [Files.Shutdown] returns when all consumers are closed and no goroutine is left.
//
// # Goroutines
//
// One goroutine decides what is read, one looks at folders, [Settings.MaxConcurrentFiles] read. A file is with one of
// them at a time, so a [Consumer] is never called twice at once; a [Handler] and the functions of an [Observer] may be.
//
// # Limits
//
// Memory is bounded by a few hundred bytes for each file known, and for each file that is being read by
// [Settings.BatchBytes], or by [Settings.MaxLineSize] while it has a line that long. The last 4096 files that are gone
// are remembered. A file is read for 4 MiB before others have their turn, but for compressed ones. At most
// [Settings.MaxConcurrentFiles] + [Settings.MaxOpenFiles] files are open. Where [Descriptors], documents and databases
// included, are more than a quarter of what the process may have, or the system gives none, files that nobody reads just now are
// closed, and no more files are read at the same time than half of that quarter.
package source
