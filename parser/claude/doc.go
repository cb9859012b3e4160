// Package claude reads what Claude Code writes: the stream of `claude -p --output-format stream-json --verbose` and the
// transcripts under ~/.claude/projects.
//
// In go lines, out come events. The package knows no files, no times of arrival and no other provider. A [Parser] serves
// one stream or transcript from one goroutine.
//
// # Records
//
//	type          gives
//	assistant     Text, Reasoning, ToolUse (ToolResult of server tools), then Usage
//	user          ToolResult, Prompt; Notice for the text of an interruption
//	result        Usage (totals), SessionEnded
//	stream_event  nothing, or Usage: the complete lines decide (see Flush)
//	system        by subtype: SessionStarted (init), ToolProgress (task_*), TurnDone (turn_duration), Notice (api_retry,
//	              api_error, compact_boundary, permission_denied, hook_response, informational, model_refusal_*)
//	tool_progress ToolProgress
//	rate_limit_event  Notice, unless all is well
//
// All other types are bookkeeping and never looked into: some repeat whole messages (api-request-blob, progress). A type
// that is not known is counted. The transcript shares message, uuid and timestamp with the stream and spells the rest in
// camelCase; it has no init, so its first message line gives SessionStarted, and no result.
//
// # Quirks
//
//   - One model message is many lines, one a content block, with results of earlier blocks between them. Each repeats
//     the message's usage with a placeholder for the output tokens.
//   - result.total_cost_usd and modelUsage go on over the results of one process, and over resumed runs (2.1.3xx).
//   - Keys come in any order; type is behind message in transcripts, and in the middle of 2.1.332's result line.
//   - tool_progress.parent_tool_use_id is the running call, not an agent.
//   - A line may hold two objects (their newline lost), an array of all messages, a byte order mark, NULs at its ends,
//     the escape sequences that a terminal was meant to get before its object.
//   - A stream that was killed has no result line (see [Parser.State]); its last texts may be there in pieces only.
//   - Sub-agents of 1.x are inside the transcript; only their prompt shows which call started them.
//   - Times: none in streams before 2.1.3xx, and only on assistant and user lines since.
//
// # Lifetime
//
// As in package events; [events.Tool.Input] points into the line that was passed, so the line must stay as it is until
// the next call.
//
// # Limits
//
// A parser remembers 65,536 lines and texts to leave out repeats, 16,384 calls, 4,096 messages, 1,024 tasks and 16,384
// lines of 1.x sub-agents; the oldest are evicted first. Texts in pieces are held up to 256 of them and 16 MiB. Of an
// object's members 256 are looked at.
//
// # Sources
//
// Captures of npm @anthropic-ai/claude-code 2.1.332, 2.1.30, 2.0.50, 1.0.128 and 1.0.3, made 2026-11-27; the types of
// @anthropic-ai/claude-agent-sdk 0.3.332 for what was not seen (rate_limit_event, model_refusal_*, the quiet
// subtypes of system).
package claude
