// Package claude parses what Claude Code writes: the stream of `claude -p --output-format stream-json --verbose` and the
// transcripts under ~/.claude/projects.
//
// A [Parser] turns the lines of one stream or transcript into events, in one goroutine. The package knows nothing about
// files, arrival times or other providers.
//
// # Records
//
//	type          events
//	assistant     Text, Reasoning, ToolUse (ToolResult of server tools), then Usage
//	user          ToolResult, Prompt; Notice for the text of an interruption
//	result        Usage (totals), SessionEnded
//	stream_event  none, or Usage: the complete lines decide (see Flush)
//	system        by subtype: SessionStarted (init), ToolProgress (task_*), TurnDone (turn_duration), Notice (api_retry,
//	              api_error, compact_boundary, permission_denied, hook_response, informational, model_refusal_*)
//	tool_progress ToolProgress
//	rate_limit_event  Notice, unless the status is "allowed"
//
// All other known types are bookkeeping and are not parsed: some repeat whole messages (api-request-blob, progress).
// Unknown types are counted. The transcript shares message, uuid and timestamp with the stream; its other keys are in
// camelCase. It has no result and no init, so its first message line gives SessionStarted.
//
// # Quirks
//
//   - One model message is many lines, one per content block, with results of earlier blocks between them. Each repeats
//     the message's usage with a placeholder for the output tokens.
//   - result.total_cost_usd and modelUsage accumulate over the results of one process, and over resumed runs (2.1.3xx).
//   - Keys come in any order; type follows message in transcripts, and is in the middle of 2.1.332's result line.
//   - tool_progress.parent_tool_use_id is the running call, not an agent.
//   - A line may hold two objects (whose newline is missing), an array of all messages, a byte order mark, NULs at its
//     ends, or escape sequences for a terminal before its object.
//   - A killed stream has no result line (see [Parser.State]); its last texts may be there only in pieces.
//   - Sub-agents of 1.x are inside the transcript; only their prompt shows which call started them.
//   - Times: none in streams before 2.1.3xx, and only on assistant and user lines since.
//
// # Lifetime
//
// As in package events. In addition, [events.Tool.Input] points into the line that was passed, so the caller must not
// change the line until the next call.
//
// # Limits
//
// A parser remembers 65,536 lines and texts to omit repetitions, 16,384 calls, 4,096 messages, 1,024 tasks and 16,384
// lines of 1.x sub-agents. The oldest are evicted first. It keeps up to 256 texts in pieces, of 16 MiB in total, and
// reads 256 members of an object.
//
// # Sources
//
// Captures of npm @anthropic-ai/claude-code 2.1.332, 2.1.30, 2.0.50, 1.0.128 and 1.0.3, made 2026-11-27; for
// everything that these do not contain (rate_limit_event, model_refusal_*, the quiet subtypes of system), the types
// of @anthropic-ai/claude-agent-sdk 0.3.332.
package claude
