// Package spool keeps what a program writes in a file until it has been read: who writes is never slowed down by who
// reads, and any number of readers go at their own speed.
//
// # In and out
//
// A [Spool] is a file of mode 0600. It gets its bytes in one of two ways:
//
//	direct   [Spool.File] is the standard output of a child process; the spool looks at the file's size
//	copied   a [Copier] reads a pipe, a FIFO or standard input, and writes into the spool
//
// Out come [Tail]s, each with a position of its own. A Tail gives what is there, waits for more, and ends when
// [Spool.Finish] was called and all was read. It also tells when bytes arrived, whenever they are read.
//
// # Limits
//
// A Copier keeps [CopySettings.MaxBytes] of input. What comes after that, or after a write that failed since the disk is
// full, is read and dropped, and counted: the writer notices nothing. A direct spool has no limit, since the writer is not
// in our hands; on a full disk the writer's own writes fail.
//
// The size of a direct spool is looked at every 5 ms while it grows, and up to 50 ms apart while it does not. Times of
// arrival are kept for 4096 steps of growth; when there are more, every second one is forgotten.
//
// # Rewriting
//
// A program may truncate the spool that is its output (`> /dev/stdout` in a shell script does). Readers then get
// [ErrRewritten] once and begin anew at the first byte.
//
// # Lifetime and goroutines
//
// A direct spool has one goroutine, from [Spool.Watch] to [Spool.Finish]; a Copier has none of its own.
// [Spool.Close] removes the file unless it was given a path to be kept under. A Spool is safe for use by many
// goroutines, a Tail serves one.
package spool
