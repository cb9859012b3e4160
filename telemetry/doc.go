// Package telemetry turns the events of agent sessions into OpenTelemetry spans and log records.
//
// A [Registry] opens one [Stream] per input. [Stream.Feed] receives the events of a line with its offset and, if known, its arrival.
// [Stream.Take] and [Registry.Take] return spans and log records. This package decides which runs, calls and sub-agents exist and when
// they begin and end. Package clock determines the times of events, package work holds runs, agents and calls, and package emit writes
// them. Telemetry knows no files, no provider's lines and no rendering.
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
// # Layers
//
// A Stream is built in layers, from core to lifetime. Each embeds the one below it and knows none above it; see core.
//
// # Identity
//
// IDs are pure functions of the session, of the ID that the format gives an item, and of the item's content
// (package content). Reading a session again, in any order, from another place or from another of its files yields the same
// trace, span and record IDs. Items that share an ID and differ in content get different ones. A run is identified by
// its key (package runkey). Events are pending until that is known, up to [Limits.PendingEvents] and
// [Limits.PendingBytes]. Packages account and share handle several accounts of one run, and copied history.
//
// # States
//
// Runs, calls and sub-agents have these states. Steps that are not in the table change nothing.
//
//	run   none → forming   an event opens a run; its key is not known yet, and events are pending
//	      forming → open   the key is known, the run ends, or too much is pending
//	      open → closed    SessionEnded, TurnDone, TurnAborted; the start of the next run; a sign of the end and no line for
//	                       [Settings.EndGrace]; the end of an old file; Close of the stream. Package outcome
//	                       derives outcome and reason from all evidence of the end
//	call  none → open      ToolUse
//	      open → closed    ToolResult, also an earlier one (result); the run's end (no_result, interrupted,
//	                       superseded); the same ID again (superseded); too many open calls (evicted); Close
//	      closed → closed  a second result: a record and a count, never a second span
//	agent none → open      the first sign of a sub-agent's own work
//	      open → closed    the end of its call; in the background, the notice of its end; too many active (evicted); Close
//	      none → open      in a separate stream: the run or the call that it works for is known, or the session that its
//	                       folder names has passed its start (package folder)
//	      open → closed    in a separate stream: its call is over and its file was read to the end since; or its run or
//	                       its call is over and the stream was quiet for [Settings.ParentWait]
//	      closed → closed  later work: records, calls with their own times in the background, and a count; never a
//	                       second span
//
// # Time
//
// The time of an event is that of its line; else the nearest earlier one in the stream; else the nearest later one. The time of arrival
// counts only for live lines in a stream without times, and the file's time only if there is nothing else. If the first line time is
// far from its arrival, a recorded stream is being played back, and open items switch from arrivals to line times. If the lines lack
// one end of a call or both, the duration reported by the provider gives the missing one. It also gives the start of a run, and of its
// first model call, if no line has that. Results that share their time and line, or that the parser marks, were written together when
// the last of them was ready. The attribute tailspan.time.source names any source other than the line.
//
// Open items are closed (timeout) if the times of two lines are [StreamSettings.IdleGap] apart, exactly as when a followed stream is
// silent for that long, so the result of a session does not depend on when it is read. The only exception is a sub-agent's stream that
// waits for its parent. For live lines the system clock decides instead of line times.
//
// The times of a run are those of the clock with which it began. If that is set back, later times are moved, and the span is marked
// tailspan.time.clamped.
//
// An end never precedes its start. If the lines say so, the end is moved and the span is marked tailspan.time.clamped. A span lies
// inside its parent or is marked tailspan.background.
//
// # Limits
//
// [Limits] bounds what is remembered, in items, and what is written, in runes and bytes. [emit.Counts] counts by reason what
// the limits drop. Names and IDs have at most 256 bytes, and texts never contain a NUL byte, whatever an event holds.
//
// # Replay
//
// A line may be replayed ([Line.Replay]): it updates the state and exports nothing. Events that are pending at that
// time are exported with the line that releases them, unless that line is replayed too. So replaying a file up to the
// offset of a checkpoint and reading on exports exactly what was pending.
//
// # Lifetime and goroutines
//
// A [Stream] is not safe for concurrent use, but different streams may be used concurrently. A [Registry] is safe for
// concurrent use. Feed copies what must outlive the call and keeps no reference to its events.
package telemetry
