// Package qwen reads what Qwen Code writes: the stream of `qwen -p --output-format stream-json`, its other form
// `--output-format json`, and the transcripts under ~/.qwen/projects.
//
// In go lines, out come events. The package knows no files, no times of arrival and no other provider. A [Parser] serves
// one stream or transcript from one goroutine.
//
// # Records
//
//	type          gives
//	assistant     Text, Reasoning, ToolUse, then Usage
//	user          ToolResult (stream), Prompt
//	tool_result   ToolResult (transcript)
//	result        Usage (total), SessionEnded
//	stream_event  nothing, or ToolProgress: the whole lines decide (see Flush)
//	system        by subtype: SessionStarted (init), Usage and Notice (ui_telemetry), TurnDone (turn_result), ToolProgress
//	              (task_started, task_notification), Notice (retry, model_fallback, chat_compression)
//
// The stream has the shapes of Claude Code's, the transcript those of Gemini's API in message.parts. A type that is not
// known is counted.
//
// # Quirks
//
//   - message.id is that of its line, not of the API's response: one response is a line for each kind of block, of which
//     the last one has the usage, and the events of all have the id of the first. In a transcript the telemetry line before a
//     message has the response's id.
//   - A stream has no times and does not echo the prompt; user lines in it are results and prompts of sub-agents.
//   - ids of calls are the server's, and may be counted anew in each run of a session (resume-2.session).
//   - A refused key gives a text that begins "[API Error:" and a result that says success (fatal-401.stream).
//   - result.usage is a total over all runs of the session (resume-2.stream), sub-agents included.
//   - A shell's exit code is only in the transcript, in the frame around its output; is_error is false for all of them.
//   - ui_telemetry repeats texts and arguments, and alone has durations and the usage of sub-agents.
//
// # Lifetime
//
// As in package events; [events.Tool.Input] points into the line that was passed, so the line must stay as it is until
// the next call.
//
// # Limits
//
// A parser remembers 65,536 lines and responses to leave out repeats, 16,384 calls and the durations of 4,096; the
// oldest are evicted first. Texts in pieces are held up to 256 of them and 16 MiB. Of an object's members 256 are
// looked at.
//
// # Sources
//
// Captures of npm @qwen-code/qwen-code 0.15.10, made 2026-11-27, and recordings of 0.24.4, made 2026-11-28. The bundle of
// 0.24.4 (transcript-records.ts and what it emits) for what was not seen: turn_result, task_*, retry, model_fallback, tool_progress, the quiet subtypes.
package qwen
