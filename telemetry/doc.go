// Package telemetry folds the events of agent sessions into OpenTelemetry spans and log records, and reads a log record
// back into the event it was made of.
//
// In goes a stream of events with the position and, where known, the time of their lines ([Stream.Feed]); out come
// [ptrace.Traces] and [plog.Logs] ([Stream.Take], [Registry.Take]). The package knows no files, no lines of any
// provider and nothing of how things look.
//
// # The tree
//
//	{pipeline}                          with pipeline identity and no outer trace
//	└─ {step}                           with step identity too
//	   └─ invoke_agent {agent}          a run: a prompt (or start line) to its result
//	      ├─ chat {model}               one per model call
//	      ├─ execute_tool Read          from call to result
//	      └─ execute_tool Agent
//	         └─ invoke_agent Explore    a sub-agent, to any depth
//
// # Identity
//
// Ids are pure functions of what the format tells (ids.go): reading a session again, or from another of its files,
// gives the same trace, span and record ids. A run is named by its run key: the id of its first model message; else the
// format's turn id; else session id and the first line's own id; else the stream's identity and offset. What comes
// before the key is known waits, up to [Settings.MaxHeldEvents].
//
// # States
//
// A run and a call go through these states; a step that the table does not show is refused and changes nothing.
//
//	run   none → forming   an event that opens a run; the key is not known yet, events wait
//	      forming → open   the key is told, the run ends, or too much waits
//	      open → closed    SessionEnded (result), the next run's start (result or superseded), Close of the stream
//	call  none → open      ToolUse
//	      open → closed    ToolResult (result), the run's end (no_result, interrupted), the same id again (superseded),
//	                       too many open calls (evicted), Close of the stream
//	      closed → closed  a second result: a record and a count, never a second span
//	agent none → open      the first sign of a sub-agent's own work
//	      open → closed    its call's end; for one in the background, word that its work ended
//
// # Time
//
// An event's time is that of its line; else the nearest earlier one in the stream; else the nearest later one; the time
// of arrival counts only for lines read live in a stream that tells no time, and the file's own time only where nothing
// else is to be had. The attribute tailspan.time.source tells which. An end never lies before its start; where it was
// told so, it is moved and the span is marked tailspan.time.clamped.
//
// # Silent folding
//
// A line may be folded silently ([Line.Silent]): the state moves on and nothing comes out. What waits for its key at
// that moment comes out with the line that releases it, if that line is not silent: so folding a file silently up to
// the position of a checkpoint and then reading on gives exactly what was still owed.
//
// # Lifetime and goroutines
//
// A [Stream] is used by one goroutine at a time, different streams by different ones; a [Registry] is safe for all.
// Events given to Feed are not kept: what must outlive the call is copied.
package telemetry
