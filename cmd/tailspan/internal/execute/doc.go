// Package execute runs the program of `tailspan run` as a shell would.
//
// A [Child] shares our terminal and receives the signals that we receive; on systems without Unix signals, Ctrl-C ends it. Its
// output goes to a spool (package process). If it cannot run, the error has the exit code of a shell: 126 or 127. A signal after
// its end closes [Child.Hurry], so that remaining work stops. [Child.Close] must be called: it removes the spool and stops
// passing signals on. A Child is safe for concurrent use.
package execute
