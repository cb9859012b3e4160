// Package render writes events for people: modes, styles, tool labels and wording. It is the only place that knows
// prefixes and glyphs, and the only place that makes text safe for a terminal.
//
// A [Renderer] is an [events.Sink] over an io.Writer, for one stream. A [Log] is one output for several streams: it labels
// and throttles them. Each of them is a [Stream], which is a Sink too. A [Writer] takes the bytes of a stream instead of its
// events, a [Formatter] returns text instead of writing it, and a [Terminal] shows a live status line below a log. Package
// [style] has what an event looks like: a new style is a column of its table, a new kind a row, a new tool a line. Package
// [term] has the status line and the colours.
//
// # Modes
//
//	default   what the agent said, nothing else
//	verbose   the text and, in the chosen style, tools and what else matters, in source order
//	quiet     the end or failure of a run, one line behind its step's name, never of a tool
//	json      nothing is rendered: the caller passes the input lines to [Renderer.Raw]
//
// # Lines
//
// In verbose mode what a sub-agent says and does is two columns further to the right for each level, behind its name where
// several work at the same time or where its events come from a stream of their own. On request
// ([Settings]) thoughts are shown, results with how long the call took, and a summary at the end of a run.
//
// The activity style puts the time and the step before each line. A Log writes at most one tool line a second and step in
// it (or a second and output): the newest wins, one that waits is written before what else its step shows, and a timer
// writes the last one. What is hidden so is hidden only from the log; it is counted in the summary.
//
// # Text
//
// A complete text is written as it is, sanitised, and closed by a newline unless it ends in one. A text that arrives in
// pieces (Delta) is written as it arrives and closed when it ends: at its Message, at a text of another message or
// another sub-agent, at a tool call of the same thread, at the borders of a turn or run (the column ends of the table),
// or at [Renderer.Close] or [Renderer.Stop]. In default mode no other kind has an effect: adding tools, results, reasoning
// or new kinds to complete texts never changes what is written. Where verbose mode has a line to write while a text is
// unfinished, the text continues in the line after it.
//
// A text that is empty once sanitised gives nothing. A text of white space is written as it is, but for the progress
// style, where blank text is noise and gives nothing.
//
// # Safety
//
// All that leaves a Renderer except through [Renderer.Raw], and except for colours where they are asked for, has passed
// [Sanitize]: no control byte but newline and tab, no escape sequence or part of one, no C1 or bidirectional control, no
// character that is not seen, only valid UTF-8. A sequence that lies across two
// pieces of a text is taken out as a whole. Every line that is not text is exactly one line, whatever a tool's name or
// argument holds.
//
// An agent's words can still look like ours or like commands to a CI system. [Settings.EscapeCommands] breaks the
// latter by a backslash, in all lines: ":\:error::" and "---\ build" at the start of a line, "##\[error]", "##vso\[",
// "##teamcity\[" and "section_start\:" anywhere. White space before the start does not matter.
//
// # Goroutines
//
// A Renderer, a Formatter, a Writer and each Stream are used by one goroutine at a time. The streams of a Log may be used by
// as many goroutines as there are. A Terminal may be used by several and runs one of its own until it is closed.
//
// # Limits
//
// The marker style shows [events.PreviewRunes] (40) runes of an argument; all other lines that are not text show at most
// [events.SummaryRunes] (120) runes of each part. A Renderer remembers the last [Settings.Calls] (1024) open tool calls, and
// as many calls of sub-agents; deeper than 6 levels nothing is indented further. Of names, targets and ids no more is kept than a line shows. A summary lists
// 12 tools, and counts 256 by name. A Writer takes
// lines of 16 MiB.
package render
