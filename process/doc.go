// Package process runs an agent program so that its output can be read without the program noticing.
//
// # Input and output
//
// A command is a list of words, run without a shell. [Start] runs it in a separate process group. Its standard output is a
// spool file (package spool), which any number of readers follow with [Process.Tail]. With [Settings.Pipe] it is a pipe that
// is copied into the spool, for programs that require one. Standard error is forwarded at once, and its last bytes are kept.
// [Process.Wait] returns how the process ended.
//
// The package does not interpret the output.
//
// # States
//
//	from       on                              to         action
//	----       --                              --         ------
//	-          Start                           running
//	running    a signal to forward             running    the signal goes to the whole group
//	running    Stop                            stopping   SIGTERM (or another signal) to the group; a grace period begins
//	stopping   the grace period ends           stopping   SIGKILL to the group
//	running    the process ends                ended      its output is read; processes that it started are not touched
//	stopping   the process ends                ended      the same, but the rest of the group gets SIGKILL after the grace period
//
// A process that the child started may hold the output open after the child has ended. Nothing waits for it: only what was
// written until the child ended is read. If SIGINT ended the child, its group has one second to end too: the signal goes to
// the whole group, and a launcher ends at once while the program that it started writes its last lines.
//
// # Terminals
//
// A background process group is stopped when it reads from its terminal. If the child's standard input is our terminal
// ([Settings.Terminal]), the child's group is therefore in the foreground while it runs, and keys such as Ctrl-C go to the
// child. Otherwise the child gets the terminal when it first uses it (/dev/tty), if we are in the foreground. When Ctrl-Z stops the
// child, or it uses the terminal while a shell is in the foreground, we stop too, so that the shell notices. The child continues when
// we do. The terminal is taken back only from the child: another group in the foreground belongs to the shell ([InForeground]).
//
// # Lifetime and goroutines
//
// A [Process] is safe for concurrent use. It runs goroutines until the process has ended; none are left after Wait. Call
// [Process.Close] after reading: it removes the spool.
//
// # Limits
//
// [Settings.StderrTail] bytes of standard error are kept (8 KiB). Package spool documents the limits of the spool. Systems
// other than Unix have no process groups: there a stop kills only the process itself, at once.
package process
