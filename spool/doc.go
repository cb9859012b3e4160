// Package spool stores the output of a program in a file until it has been read. Readers never slow the writer down, and each
// reader has its own speed.
//
// # Input and output
//
// A [Spool] is a file of mode 0600. Its bytes come from one of these:
//
//	direct   [Spool.File] is the standard output of a child process; the spool polls the file's size
//	copied   a [Copier] writes what it reads from a pipe or from an [Input], which is a [FIFO] or standard input
//	left     a previous process wrote it and [Open] resumes it; it is finished
//
// [Tail]s read it, each with its own offset. A Tail returns what is available, waits for more, and ends once [Spool.Finish]
// was called and everything was read. It also reports when bytes arrived, however late they are read.
//
// # Limits
//
// A Copier keeps [CopySettings.MaxBytes] of input, or what a [Budget] shared by several Copiers allows. Input beyond that, or
// after a write that failed because the disk is full, is read, dropped and counted, so the writer does not notice. A direct
// spool has no limit, because we do not control the writer; on a full disk the writer's own writes fail.
//
// The size of a direct spool is polled every 5 ms while it grows, and at intervals of up to 50 ms while it does not. Arrival
// times are kept for 4096 steps of growth; above that, every second one is dropped.
//
// # Rewriting
//
// A program may truncate the spool that is its output, as `> /dev/stdout` in a shell script does. Readers then get
// [ErrRewritten] once and start again at the first byte; what they had not read is lost, and [Spool.Lost] counts what was seen.
// A poll notices that the file is shorter than before or than what the program has written through the output that it was
// started with, or that other bytes are at the end of those seen, however much was written since. A program that truncates
// the file and then writes more through its own output between two polls is not noticed.
//
// # Restarts
//
// The files in a folder are the state: [Left] lists what a previous process left there, and [Lock] reserves the folder for one
// process. No other state is stored. The name of a spool is never used again, so IDs and positions may derive from it. A child
// that outlives its process may still write to a direct spool; [InUse] reports that.
//
// # Lifetime and goroutines
//
// A direct spool has one goroutine, from [Spool.Watch] to [Spool.Finish]. A Copier has none. An [Input] of [OpenStdin] that is
// not a pipe has one, until its next byte or end. [Spool.Close] removes the file unless it was created with a path, under
// which it is kept. A Spool is safe for concurrent use; a Tail is for use by one goroutine.
package spool
