// Package show is the readable log that a person watches.
//
// A [Rendering] says how one input becomes lines of a log; [Rendering.Open] begins it in a log, which several inputs may share, and
// the [Shown] takes its records. A [Screen] is where `tailspan run` shows an agent: the log, what the agent itself writes to standard
// error, and our own lines. By what its two outputs are it decides once which mode, style and colours they have, and whether there is a
// status line.
//
// Several goroutines may write to a Screen. [Screen.Report] removes what a terminal would obey; what an agent writes to standard error
// passes as it is. [ReportLosses] says which lines of an input a log does not show. What an event looks like is decided in package
// render.
package show
