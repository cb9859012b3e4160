// Package spool stores what a program writes in a file until it has been read: readers never slow the writer down, and
// each reader has its own speed.
//
// # In and out
//
// A [Spool] is a file of mode 0600. It gets its bytes in one of these ways:
//
//	direct   [Spool.File] is the standard output of a child process; the spool polls the file's size
//	copied   a [Copier] writes what an [Input] reads, a [FIFO] or standard input, or what a pipe does
//	left     an earlier process wrote it, and [Open] resumes it; it is finished
//
// [Tail]s read it, each with its own offset. A Tail returns what is there, waits for more, and ends when [Spool.Finish] was
// called and all was read. It also returns when bytes arrived, whenever they are read.
//
// # Limits
//
// A Copier keeps [CopySettings.MaxBytes] of input; several share a [Budget]. What comes after that, or after a write that failed since the disk is
// full, is read and dropped, and counted: the writer notices nothing. A direct spool has no limit, since the writer is not
// in our hands; on a full disk the writer's own writes fail.
//
// The size of a direct spool is polled every 5 ms while it grows, and up to 50 ms apart while it does not. Times of
// arrival are kept for 4096 steps of growth; when there are more, every second one is dropped.
//
// # Rewriting
//
// A program may truncate the spool that is its output (`> /dev/stdout` in a shell script does). Readers then get
// [ErrRewritten] once and begin anew at the first byte.
//
// # Over a restart
//
// The files in a folder are the state: [Left] lists what an earlier process left there, and [Lock] keeps the folder for one
// process. Nothing is written beside a spool; its name never comes again, so ids and positions may be made of it. A direct
// spool may be written to by a child that outlived the process: [InUse] reports that.
//
// # Lifetime and goroutines
//
// A direct spool has one goroutine, from [Spool.Watch] to [Spool.Finish]; a Copier has none of its own, an [Input] of
// [OpenStdin] that is no pipe has one, until its next byte or end.
// [Spool.Close] removes the file unless it was created with a path to be kept under. A Spool is safe for use by many
// goroutines, a Tail serves one.
package spool
