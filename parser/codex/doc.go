// Package codex parses what OpenAI's Codex CLI writes: the stream of `codex exec --json` and the rollouts under
// ~/.codex/sessions and ~/.codex/archived_sessions.
//
// A [Parser] turns the lines of one stream or rollout into events, in one goroutine. The package knows nothing about
// files, arrival times or other providers.
//
// # Dialects
//
//	E1     stream of --json up to 0.42: {"id":"0","msg":{"type":...}}, after two lines with settings and prompt
//	E2     stream of --experimental-json of 0.42: items with item_type, no turns
//	E3     stream of --json since 0.44: thread.started, turn.*, item.*
//	R1     rollout of 0.29: bare response items, a time only on the first line
//	R2     rollout of 0.34 to 0.58: {"timestamp","type","payload"}
//	R3     rollout of 0.125: R2 with task_started and task_complete
//	R4     rollout of 0.171: R3 with ordinals, item_completed and token_usage_record ("paginated")
//
// Each line shows its dialect, so dialects may follow one another in the same file. docs/formats/codex.md lists every
// type and how it is handled; a test compares it with the switches here.
//
// # One source for each event
//
// Rollouts contain the same thing up to four times. Texts, reasoning and calls are read from the response items, which
// every version has. Prompts are read from these items or, if no item has them, from user_message. The result of a call is
// read where it first appears: in item_completed if that has a status, otherwise in the output. Calls that a script of code
// mode makes only have an item_completed, which provides call and result.
//
// In R4 an assistant message counts as text only if an AgentMessage with its ID precedes it: the answer to a request for
// a summary (compaction) is stored like any other message but was never shown.
//
// # Identity
//
//   - SessionID is the thread; for a sub-agent it is the root thread, and AgentID is the sub-agent's own thread. The
//     result of the call that started a sub-agent has that ID (Tool.AgentID), and so has the ToolProgress at its end.
//   - TurnID is the turn of the root thread (root_turn_id), which a sub-agent's turns also name. Streams have none.
//   - MessageID is the ID of the first item of a model response, only in R4: the response's own ID follows its last
//     item, as the ItemID of its Usage. Calls made by scripts have none.
//   - ItemID is the ID of a response item. The item_N of streams restart with each run of a thread, so they serve as
//     call IDs but not as ItemIDs.
//   - The end of a turn is TurnDone in rollouts, even if it was interrupted; in streams it is SessionEnded.
//
// # Quirks
//
//   - A web_search item has the key id twice: first its own, then the API's.
//   - turn.completed has the tokens of the whole thread, over all runs, including a fork's parent (UsageScopeSession).
//     token_count has a running total; up to 0.125 it appears twice for each response.
//   - Arguments are JSON in a string, sometimes truncated. Outputs are a string, an array, or JSON in a string. The exit
//     code is in words before the text. A call's status "completed" means that the model finished writing it.
//   - An error line is a retry ("Reconnecting...") or repeated by turn.failed; an item of type error is a warning.
//   - The stream has no refused calls, the rollout has no retries, and E1 has no end except that of a failure.
//   - Before R4 a fork, and a sub-agent that received its parent's context, copies the parent's lines: see replay.
//
// # Lifetime
//
// As in package events. In addition, [events.Tool.Input] may point into the line that was passed, so the caller must not
// change the line until the next call.
//
// # Limits
//
// A parser remembers 16,384 calls, 4,096 shown messages, 4,096 model responses, 1,024 prompts and 1,024 sub-agents. The
// oldest are evicted first. It reads 256 members of an object. Rollouts of the TypeScript CLI (0.1, one document each)
// are not supported.
//
// # Sources
//
// Captures of npm @openai/codex 0.171.0, 0.125.0, 0.58.0, 0.42.0, 0.34.0 and 0.29.0, made 2026-11-27; for everything
// that these do not contain (the detailed events in rollouts, approvals), the types of @openai/codex-sdk 0.163.0 and
// the published protocol types. For copied history: public reports of forked rollouts of 0.12x to 0.14x, 2026.
package codex
