// Package render writes events as text for people: modes, styles, tool labels and wording. Only this package knows prefixes
// and glyphs, and only this package makes text safe for a terminal.
//
// A [Renderer] is an [events.Sink] that writes one stream to an io.Writer. A [Log] writes several streams to one output, and
// labels and throttles them. Each of them is a [Stream], which is a Sink too. A [Writer] takes the bytes of a stream instead
// of its events, a [Formatter] returns text instead of writing it, and a [Terminal] shows a live status line below a log.
// Package [style] defines what an event looks like: a new style is a column of its table, a new kind a row, a new tool a line.
// Package [term] has the status line and the colours.
//
// # Modes
//
//	default   what the agent said, nothing else
//	verbose   the text and, in the chosen style, tools and other relevant events, in source order
//	quiet     the end or failure of a run, one line after its step's name, never those of a tool
//	json      nothing is rendered: the caller passes the input lines to [Renderer.Raw]
//
// # Lines
//
// In verbose mode the lines of a sub-agent are indented by two columns for each level. They begin with its name if several
// sub-agents run at the same time or if its events come from a separate stream. Optional ([Settings]) are reasoning, results
// with the duration of the call, and a summary at the end of a run.
//
// The activity style puts the time and the step before each line. In it, a Log writes at most one tool line per second and
// step (or per second and output). The newest line wins; a held line is written before the next other line of its step, and a
// timer writes the last one. A line that is dropped is hidden only in the log; the summary counts it.
//
// # Text
//
// A complete text is written unchanged except for sanitising, and closed by a newline unless it ends in one. A text that
// arrives in pieces (Delta) is written as it arrives. It is closed when it ends: at its Message, at a text of another message
// or another sub-agent, at a tool call of the same thread, at the boundaries of a turn or run (the column ends of the table),
// or at [Renderer.Close] or [Renderer.Stop]. In default mode other kinds have no effect: tools, results, reasoning or new
// kinds between complete texts never change the output. If verbose mode writes a line while a text is unfinished, the text
// continues on the next line.
//
// A text that is empty after sanitising is not written. A text of white space is written unchanged, except in the progress
// style, where it is noise and omitted.
//
// # Safety
//
// Everything that a Renderer writes, except through [Renderer.Raw] and except for requested colours, has passed [Sanitize]: no
// control byte except newline and tab, no escape sequence or part of one, no C1 or bidirectional control, no invisible
// character, only valid UTF-8. A sequence that spans two pieces of a text is removed as a whole. Every line that is not text
// is exactly one line, whatever a tool's name or argument contains.
//
// An agent's words can still look like ours or like commands to a CI system. [Settings.EscapeCommands] breaks such commands
// with a backslash, in all lines: ":\:error::" and "---\ build" at the start of a line, "##\[error]", "##vso\[",
// "##teamcity\[" and "section_start\:" anywhere. White space before the start is ignored.
//
// # Goroutines
//
// A Renderer, a Formatter, a Writer and each Stream are used by one goroutine at a time. Different goroutines may use the
// streams of a Log. Several goroutines may use a Terminal, which runs a goroutine of its own until it is closed.
//
// # Limits
//
// The marker style shows [events.PreviewRunes] (40) runes of an argument; all other lines that are not text show at most
// [events.SummaryRunes] (120) runes of each part. A Renderer remembers the last [Settings.Calls] (1024) open tool calls, and
// as many calls of sub-agents. Indentation stops at 6 levels. No more is kept of names, targets and IDs than a line shows. A
// summary lists 12 tools, and counts 256 by name. A Writer reads lines of up to 16 MiB.
package render
