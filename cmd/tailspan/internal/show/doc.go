// Package show shows the readable log to a person.
//
// A [Rendering] configures how one input becomes log lines. [Rendering.Open] begins the input in a log, which several inputs may
// share, and its [Shown] takes the records. A [Screen] is where `tailspan run` shows an agent: the log, the agent's own standard
// error, and messages of tailspan. From the kinds of its two outputs it decides once on mode, style and colors, and whether there
// is a status line.
//
// A Screen is safe for concurrent use. [Screen.Report] removes terminal control sequences; the agent's standard error passes
// unchanged. [Losses] reports the input lines that a log does not show. Package render decides how an event looks.
package show
