// Package execute runs the program of `tailspan run` as a shell would.
//
// A [Child] has our terminal, and gets the signals that we get; on systems without Unix signals Ctrl-C ends it. Its output is in a
// spool (package process). Why it can't be run is an exit code of a shell: 126 or 127. When it has ended, a signal closes
// [Child.Hurry]: who still works for it then stops. [Child.Close] removes the spool and no longer passes signals on; it must be
// called. Several goroutines may use a Child.
package execute
