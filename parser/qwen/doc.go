// Package qwen parses what Qwen Code writes: the stream of `qwen -p --output-format stream-json`, its other form
// `--output-format json`, and the transcripts under ~/.qwen/projects.
//
// A [Parser] turns the lines of one stream or transcript into events, in one goroutine. The package knows nothing about
// files, arrival times or other providers.
//
// # Records
//
//	type          events
//	assistant     Text, Reasoning, ToolUse, then Usage
//	user          ToolResult (stream), Prompt
//	tool_result   ToolResult (transcript)
//	result        Usage (total), SessionEnded
//	stream_event  none, or ToolProgress: the whole lines decide (see Flush)
//	system        by subtype: SessionStarted (init), Usage and Notice (ui_telemetry), TurnDone (turn_result), ToolProgress
//	              (task_started, task_notification), Notice (retry, model_fallback, chat_compression)
//
// The stream has the shapes of Claude Code's, the transcript those of Gemini's API in message.parts. Unknown types are
// counted.
//
// # Quirks
//
//   - message.id is the ID of its line, not of the API's response. One response is a line for each kind of block, and the
//     last of them has the usage; all its events have the ID of the first line. In a transcript the telemetry line before
//     a message has the response's ID.
//   - A stream has no times and does not echo the prompt; its user lines are results and prompts of sub-agents.
//   - Call IDs are the server's and may restart in each run of a session (resume-2.session).
//   - A refused key yields a text that begins with "[API Error:" and a result that says success (fatal-401.stream).
//   - result.usage is a total over all runs of the session (resume-2.stream), including sub-agents.
//   - A shell's exit code is only in the transcript, in the frame around its output; is_error is always false.
//   - ui_telemetry repeats texts and arguments. Only it has durations and the usage of sub-agents.
//
// # Lifetime
//
// As in package events. In addition, [events.Tool.Input] points into the line that was passed, so the caller must not
// change the line until the next call.
//
// # Limits
//
// A parser remembers 65,536 lines and responses to omit repetitions, 16,384 calls and the durations of 4,096. The
// oldest are evicted first. It keeps up to 256 texts in pieces, of 16 MiB in total, and reads 256 members of an
// object.
//
// # Sources
//
// Captures of npm @qwen-code/qwen-code 0.15.10, made 2026-11-27, and recordings of 0.24.4, made 2026-11-28. For turn_result,
// task_*, retry, model_fallback, tool_progress and the quiet subtypes: the bundle of 0.24.4 (transcript-records.ts and its output).
package qwen
