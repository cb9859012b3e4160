// Package telemetry turns the events of agent sessions into OpenTelemetry spans and log records.
//
// In goes a stream of events with the offset and, where known, the arrival of their lines ([Stream.Feed]); out come
// spans and log records ([Stream.Take], [Registry.Take]). When an event was is decided in package clock. What goes out are values
// of package otlp ([otlp.Chat], [otlp.Call], [otlp.Agent], [otlp.Record]), which writes them; this package decides which runs, calls and sub-agents there are, and when they
// begin and end. It knows no files, no lines of any provider and nothing of how things look.
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
// Ids are pure functions of the session, of what the format calls a thing, and of what it says (content.go):
// reading a session again, in any order, from another place or from another of its files gives the same trace, span and
// record ids, and things that share an id and differ in content have two. A run is named by its run key: the id of its
// first model message; else the format's turn id; else session id and the first line's own id, or the run's number in
// its stream; else a hash of what the stream begins with, and an offset. Behind it is a hash of what the model said
// first. Events before the key is known are pending, up to [Limits.PendingEvents] and [Limits.PendingBytes]. Accounts of one
// run, and copied history, are in package account.
//
// # States
//
// A run, a call and a sub-agent go through these states; a step that the table does not show changes nothing.
//
//	run   none → forming   an event that opens a run; the key is not known yet, events wait
//	      forming → open   the key is known, the run ends, or too much is pending
//	      open → closed    SessionEnded, TurnDone, TurnAborted; the next run's start; its last word, and no line for
//	                       [Settings.EndGrace] (turnend.go); the end of an old file; Close of the stream. Outcome and reason
//	                       are decided from all that shows the end (package outcome)
//	call  none → open      ToolUse
//	      open → closed    ToolResult, also one that came before (result); the run's end (no_result, interrupted,
//	                       superseded); the same id again (superseded); too many open calls (evicted); Close
//	      closed → closed  a second result: a record and a count, never a second span
//	agent none → open      the first sign of a sub-agent's own work
//	      open → closed    its call's end; in the background, the notice of its end; too many at work (evicted); Close
//	      none → open      in a stream of its own: the run or the call that it works for is known, or the session that its
//	                       folder names has come so far (package folder)
//	      open → closed    in a stream of its own: its call is over and all that is there was read since, or its run is
//	                       over, or its call, and the stream was quiet for [Settings.ParentWait]
//	      closed → closed  what it does later: records, calls of their own time in the background, and a count; never a
//	                       second span of it
//
// # Time
//
// An event's time is that of its line; else the nearest earlier one in the stream; else the nearest later one; the time of
// arrival counts only for lines read live in a stream without times, and the file's own time only where nothing else
// is to be had. A first line time far from its arrival shows that a recorded stream is played back: what is open
// then takes line times in place of arrivals. Where the lines have one end of a call, or none, the duration that the
// provider measured gives the other; a run whose start no line has gets the one that its duration gives, and so does
// its first model call. Results that share their time and their line, or of which the parser knows it, were written
// together when the last of them was there. The attribute tailspan.time.source names another source than the line.
//
// What is open is closed (timeout) where the times of two lines lie [StreamSettings.IdleGap] apart, as it is when a stream
// that is followed is left for so long: a session gives the same whenever it is read. Only a sub-agent's stream that
// waits for its parent goes on waiting. Before lines that are read live the clock judges, not their times.
//
// An end never lies before its start; where the lines say so, it is moved and the span is marked tailspan.time.clamped.
// A span lies inside its parent, or is marked tailspan.background.
//
// # Limits
//
// [Limits] bounds what is remembered, in numbers of things, and what is written, in runes and bytes. What a limit costs is
// counted by its reason ([Counts]). Names and ids have at most 256 bytes, and no text has a NUL byte, whatever an event holds.
//
// # Replay
//
// A line may be replayed ([Line.Replay]): the state moves on and nothing is exported. What waits for its key at
// that moment is exported with the line that releases it, if that line is not replayed: so replaying a file up to
// the offset of a checkpoint and then reading on gives exactly what was pending.
//
// # Lifetime and goroutines
//
// A [Stream] is used by one goroutine at a time, different streams by different ones; a [Registry] is safe for all.
// Events given to Feed are not kept: what must outlive the call is copied.
package telemetry
