// Package process runs an agent program so that its output can be read without the program noticing.
//
// # In and out
//
// In goes a command, as a list of words: no shell takes part. [Start] runs it in a process group of its own. Its standard
// output is a spool file (package spool), which any number of readers follow by [Process.Tail]; with [Settings.Pipe] it is
// a pipe that is copied into the spool, for programs that want one. What it writes to standard error passes on at once,
// and its last bytes are kept. [Process.Wait] returns how it ended.
//
// What the lines mean is none of this package's business.
//
// # States
//
//	from       on                              to         what is done
//	----       --                              --         ------------
//	-          Start                           running
//	running    a signal to pass on             running    the signal goes to the whole group
//	running    Stop                            stopping   SIGTERM (or another signal) to the group; a grace begins
//	stopping   the grace is over               stopping   SIGKILL to the group
//	running    the process ends                ended      its output is read; what it started is left alone
//	stopping   the process ends                ended      the same, but what is left of the group gets SIGKILL, after its grace
//
// What the process started may hold its output open when it has ended. Nothing waits for that: what came until the
// end of the process is read, and no more. Only when SIGINT ended the process, its group has a second to end too: the signal
// goes to the whole group, and a launcher is gone at once, while the program that it started writes its last lines.
//
// # Terminals
//
// A process group that is not in the foreground of a terminal is stopped when it reads from it. So if the child's standard
// input is our terminal ([Settings.Terminal]), the child's group comes to the foreground while it runs: keys such as
// Ctrl-C are then the child's. When Ctrl-Z stops the child, we take the terminal back and stop ourselves, so that the
// shell comes forward, and the child goes on when we do.
//
// # Lifetime and goroutines
//
// A [Process] is safe for use by many goroutines. It has some of its own until the process has ended; none are left after
// Wait. [Process.Close] is for the end of reading: it removes the spool.
//
// # Limits
//
// [Settings.StderrTail] bytes of standard error are kept (8 KiB). Package spool names the limits of the spool. On systems
// that are not Unix there are no process groups here: a stop kills the process alone, at once.
package process
